import Foundation
import ImageObserving

/// Writes to standard output and standard error without buffering. Names of files, metadata and servers can contain
/// what a terminal obeys, so each line is written without control characters.
enum Console {
    static func output(_ lines: String...) { output(lines) }

    static func output(_ lines: [String]) {
        write(lines.map { $0.withoutControls + "\n" }.joined(), to: STDOUT_FILENO)
    }

    static func error(_ line: String) { write("imageload: \(line.withoutControls)\n", to: STDERR_FILENO) }

    /// Writes the whole text as it is. Stops at the first error, such as a closed pipe.
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
    /// Returns the value as JSON on one line, with sorted keys and escaped control characters.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        return text.replacingControls { String(format: "\\u%04x", $0.value) }
    }
}
