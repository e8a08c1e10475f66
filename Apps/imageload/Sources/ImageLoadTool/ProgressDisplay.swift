import CImageLoadTool
import Foundation
import ImageCore
import ImageObserving
import Synchronization

/// Shows in place on a terminal what is in progress: a line for each file or transfer, and one for all with the time
/// left. Draws nothing if standard error is not a terminal. If a signal ends the program, tells what was done.
final class ProgressDisplay: Sendable {
    private struct Item {
        var name: String
        var progress: WorkProgress?
    }

    private struct State {
        var active: [Int: Item] = [:]
        var done = 0
        var summary = ""
        var drawnLines = 0
    }

    private let isInteractive: Bool
    private let total: Int
    private let uptime: @Sendable () -> Duration
    private let write: @Sendable (String) -> Void
    private let notify: @Sendable (String?) -> Void
    private let terminalSize: @Sendable () -> (columns: Int, rows: Int)
    private let state = Mutex(State())
    /// Everything is written here, so that bars and other lines don't mix.
    private let queue = DispatchQueue(label: "progress")

    /// - Parameters:
    ///   - total: The number of files or transfers.
    ///   - uptime: Returns the time since the start.
    ///   - notify: Sets what a signal writes; nil for nothing.
    init(
        isInteractive: Bool, total: Int, uptime: @escaping @Sendable () -> Duration = ProgressDisplay.stopwatch(),
        write: @escaping @Sendable (String) -> Void = { Console.write($0, to: STDERR_FILENO) },
        notify: @escaping @Sendable (String?) -> Void = { unsafe tool_set_notice($0) },
        terminalSize: @escaping @Sendable () -> (columns: Int, rows: Int) = { Console.terminalSize }
    ) {
        self.isInteractive = isInteractive
        self.total = total
        self.uptime = uptime
        self.write = write
        self.notify = notify
        self.terminalSize = terminalSize
    }

    static func stopwatch() -> @Sendable () -> Duration {
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        return { start.duration(to: clock.now) }
    }

    /// Draws ten times a second while `body` runs, because one file can take long. Erases the bars at the end.
    func whileDrawing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        queue.sync(execute: setNotice)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.setEventHandler { self.draw() }
        timer.activate()
        defer {
            timer.cancel()
            interrupt {}
            queue.sync { notify(nil) }
        }
        return try await body()
    }

    func started(_ index: Int, _ name: String) { state.withLock { $0.active[index] = Item(name: name) } }

    func progressed(_ index: Int, _ progress: WorkProgress) {
        state.withLock { $0.active[index]?.progress = progress }
    }

    /// - Parameter summary: Describes everything that is done.
    func finished(_ index: Int, summary: String) {
        state.withLock { state in
            state.active[index] = nil
            state.done += 1
            state.summary = ": \(summary)"
        }
        queue.sync(execute: setNotice)
    }

    /// Sets what a signal writes in place of the bars.
    private func setNotice() {
        let text = state.withLock { state in
            let erasing = isInteractive ? Self.erase(state.drawnLines) + "\r\u{1B}[K" : ""
            return "\(erasing)imageload: interrupted: \(state.done) of \(total) done\(state.summary)\n"
        }
        notify(text)
    }

    /// Erases the bars until they are drawn again, and calls `body`, which may write lines.
    func interrupt(_ body: () throws -> Void) rethrows {
        try queue.sync {
            let lines = state.withLock { state in
                defer { state.drawnLines = 0 }
                return state.drawnLines
            }
            if lines > 0 { write(Self.erase(lines)) }
            try body()
            setNotice()
        }
    }

    func draw() {
        guard isInteractive else { return }
        let (size, time) = (terminalSize(), uptime())
        let text = state.withLock { state in
            let lines = lines(state, time, rows: size.rows).map { Self.fitted($0, size.columns - 1) }
            defer { state.drawnLines = lines.count }
            return Self.erase(state.drawnLines) + lines.map { $0 + "\n" }.joined()
        }
        write(text)
        setNotice()
    }

    private static func erase(_ lines: Int) -> String { String(repeating: "\u{1B}[1A\u{1B}[2K", count: lines) }

    private func lines(_ state: State, _ time: Duration, rows: Int) -> [String] {
        let active = state.active.sorted { $0.key < $1.key }.map(\.value)
        let fraction =
            (Double(state.done) + active.compactMap(\.progress?.fraction).reduce(0, +)) / Double(max(1, total))
        let left = fraction > 0 ? "\(Self.text(time * (1 / fraction - 1))) left" : "\(Self.text(time)) so far"
        return active.prefix(max(1, rows - 3)).map { item in
            guard let progress = item.progress else { return item.name }
            let bytes = ByteCount.text(progress.completedByteCount).padded(9)
            return "\(Self.bar(progress.fraction, width: 20)) \(bytes) \(item.name)"
        } + ["\(Self.bar(fraction, width: 20)) \(state.done) of \(total), \(left)\(state.summary)"]
    }

    /// Returns minutes and seconds.
    private static func text(_ time: Duration) -> String {
        let seconds = Int((time / .seconds(1)).rounded(.up))
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    /// Returns the text up to a number of columns. East Asian characters and symbols take two.
    private static func fitted(_ text: String, _ columns: Int) -> String {
        var left = max(10, columns)
        return String(
            text.withoutControls.prefix { character in
                left -= character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : 1
                return left >= 0
            })
    }

    /// Returns a bar such as `[=====     ]`. If the fraction is nil, the bar is empty.
    static func bar(_ fraction: Double?, width: Int) -> String {
        let filled = Int((min(max(fraction ?? 0, 0), 1) * Double(width)).rounded(.down))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled) + "]"
    }
}

extension WorkProgress {
    /// A value from 0 to 1, or nil if the total is unknown.
    var fraction: Double? { totalByteCount.flatMap { $0 > 0 ? Double(completedByteCount) / Double($0) : nil } }
}
