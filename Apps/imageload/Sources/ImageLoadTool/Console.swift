import Foundation
import Synchronization

/// Standard output and standard error, written straight to their descriptors.
enum Console {
    static func output(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    static func error(_ line: String) { write("imageload: \(line)\n", to: STDERR_FILENO) }

    /// Writes all of it; gives up when the other end is gone.
    static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR || errno == EAGAIN { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// True when a person watches standard error and its terminal can move the cursor.
    static var isInteractive: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb" && environment["TERM"] != nil
    }

    /// Columns and rows of the terminal, or 80 by 24.
    static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

extension Encodable {
    /// One object on one line, keys in order.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
