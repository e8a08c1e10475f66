import Foundation
import ImageCore
import Synchronization

/// Draws progress bars that update in place on a terminal. Draws nothing if standard error is not a terminal.
final class ProgressDisplay: Sendable {
    private struct Transfer {
        var address: String
        var progress = WorkProgress(completedBytes: 0, totalBytes: nil)
    }

    private struct State {
        var active: [Int: Transfer] = [:]
        var done = 0
        var failed = 0
        var bytes = 0
        var drawnLines = 0
        var lastDraw: ContinuousClock.Instant?
    }

    private let isInteractive: Bool
    private let total: Int
    private let clock = ContinuousClock()
    private let write: @Sendable (String) -> Void
    private let terminalSize: @Sendable () -> (columns: Int, rows: Int)
    private let state = Mutex(State())

    init(
        isInteractive: Bool, total: Int,
        write: @escaping @Sendable (String) -> Void = { Console.write($0, to: STDERR_FILENO) },
        terminalSize: @escaping @Sendable () -> (columns: Int, rows: Int) = { Console.terminalSize }
    ) {
        self.isInteractive = isInteractive
        self.total = total
        self.write = write
        self.terminalSize = terminalSize
    }

    func started(_ index: Int, _ address: String) {
        state.withLock { $0.active[index] = Transfer(address: address) }
        redraw()
    }

    func progressed(_ index: Int, _ progress: WorkProgress) {
        state.withLock { $0.active[index]?.progress = progress }
        redraw()
    }

    func finished(_ index: Int, _ report: LoadReport) {
        state.withLock { state in
            state.active[index] = nil
            state.done += 1
            if report.failure != nil { state.failed += 1 }
            state.bytes += report.image?.bytes ?? 0
        }
        redraw()
    }

    /// Erases the bars.
    func close() {
        guard isInteractive else { return }
        let lines = state.withLock { state in
            defer { state.drawnLines = 0 }
            return state.drawnLines
        }
        write(Self.erase(lines))
    }

    /// Redraws at most ten times a second.
    private func redraw() {
        guard isInteractive else { return }
        let (columns, rows) = terminalSize()
        let now = clock.now
        let text = state.withLock { state -> String? in
            if let last = state.lastDraw, now - last < .milliseconds(100) { return nil }
            state.lastDraw = now
            let lines = Self.lines(state.active.sorted { $0.key < $1.key }.map(\.value), state, total, columns, rows)
            defer { state.drawnLines = lines.count }
            return Self.erase(state.drawnLines) + lines.map { $0 + "\n" }.joined()
        }
        if let text { write(text) }
    }

    private static func erase(_ lines: Int) -> String { String(repeating: "\u{1B}[1A\u{1B}[2K", count: lines) }

    private static func lines(
        _ active: [Transfer], _ state: State, _ total: Int, _ columns: Int, _ rows: Int
    ) -> [String] {
        let shown = active.prefix(max(1, rows - 3))
        var lines = shown.map { transfer in
            line(
                bar: bar(transfer.progress.fraction, width: 20),
                text: "\(ByteCount.text(transfer.progress.completedBytes).padded(9)) \(transfer.address)", columns)
        }
        let failures = state.failed > 0 ? ", \(state.failed) failed" : ""
        lines.append(
            line(
                bar: bar(total > 0 ? Double(state.done) / Double(total) : nil, width: 20),
                text: "\(state.done) of \(total), \(ByteCount.text(state.bytes))\(failures)", columns))
        return lines
    }

    private static func line(bar: String, text: String, _ columns: Int) -> String {
        String("\(bar) \(text)".prefix(max(10, columns - 1)))
    }

    /// Returns a bar such as `[=====     ]`. If the fraction is nil, the bar is empty.
    static func bar(_ fraction: Double?, width: Int) -> String {
        let filled = Int((min(max(fraction ?? 0, 0), 1) * Double(width)).rounded(.down))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled) + "]"
    }
}

extension WorkProgress {
    /// A value from 0 to 1, or nil if the total is unknown.
    var fraction: Double? { totalBytes.flatMap { $0 > 0 ? Double(completedBytes) / Double($0) : nil } }
}
