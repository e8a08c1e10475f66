import Foundation
import Synchronization

/// Writes to standard output and standard error without buffering.
enum Console {
    static func output(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// Writes a message, whose names of files can have line breaks, on one line.
    static func error(_ line: String) { write("imageload: \(line.onOneLine)\n", to: STDERR_FILENO) }

    /// Writes the whole text. Stops at the first error, such as a closed pipe.
    static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR || errno == EAGAIN { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// True if standard error is a terminal that can move the cursor.
    static var isInteractive: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb" && environment["TERM"] != nil
    }

    /// The size of the terminal, or 80 by 24 if it is unknown.
    static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

extension Encodable {
    /// Returns the value as JSON on one line, with sorted keys.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
