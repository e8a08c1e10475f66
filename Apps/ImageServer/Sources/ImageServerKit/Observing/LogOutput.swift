import Dispatch
package import Foundation
import Synchronization

/// Writes lines on a queue of its own, so that a slow reader of the log delays no request. Lines wait for a hundredth of a
/// second, so that one thread wakes up for many of them.
package final class LogOutput: Sendable {
    private struct State {
        var pending = Data()
        var isWriting = false
        var lostCount = 0
        /// The second of the last line, and its text.
        var second = (number: Int.min, text: "")
    }

    private static let delay = DispatchTimeInterval.milliseconds(10)
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "image-server-log")
    private let limit: Int
    private let now: @Sendable () -> Date
    private let write: @Sendable (Data) -> Void

    /// - Parameters:
    ///   - limit: The most bytes that wait to be written. Further lines are lost, and their number is written.
    ///   - write: Writes bytes. May block.
    package init(
        limit: Int = 4 << 20, now: @escaping @Sendable () -> Date, write: @escaping @Sendable (Data) -> Void
    ) {
        self.limit = limit
        self.now = now
        self.write = write
    }

    /// Appends a line.
    /// - Parameter line: Returns the line without its end, for a time in the format of RFC 3339.
    func append(_ line: (_ time: String) -> String) {
        let line = line(time())
        let starts = state.withLock { state in
            guard state.pending.count + line.utf8.count < limit else {
                state.lostCount += 1
                return false
            }
            state.pending.append(contentsOf: line.utf8)
            state.pending.append(UInt8(ascii: "\n"))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { queue.asyncAfter(deadline: .now() + Self.delay) { self.writePending() } }
    }

    /// Waits until all lines are written.
    package func flush() { queue.sync { writePending() } }

    private func writePending() {
        while let bytes = takePending() { write(bytes) }
    }

    private func takePending() -> Data? {
        state.withLock { state in
            if state.lostCount > 0 {
                state.pending.append(contentsOf: "\(state.lostCount) messages were lost\n".utf8)
                state.lostCount = 0
            }
            state.isWriting = !state.pending.isEmpty
            defer { state.pending = Data() }
            return state.isWriting ? state.pending : nil
        }
    }

    private func time() -> String {
        let milliseconds = Int((now().timeIntervalSince1970 * 1_000).rounded(.down))
        let second = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let text = state.withLock { state in
            if state.second.number != second.quotient {
                let date = Date(timeIntervalSince1970: Double(second.quotient))
                state.second = (second.quotient, String(date.formatted(.iso8601).dropLast()))
            }
            return state.second.text
        }
        return "\(text).\(second.remainder / 100)\(second.remainder / 10 % 10)\(second.remainder % 10)Z"
    }
}
