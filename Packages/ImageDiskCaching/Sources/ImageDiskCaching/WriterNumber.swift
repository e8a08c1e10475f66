/// Identifies the writer of a file: a process, and the number of a file in that process.
package struct WriterNumber: Hashable, Sendable {
    /// The process ID, which is never 0.
    package var process: UInt32
    /// The number of the file in that process.
    package var count: UInt16

    package init(process: UInt32, count: UInt16) {
        self.process = process
        self.count = count
    }

    /// Parses the format of the property `text`. Returns nil if the format is another one.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 12, let number = UInt64(text, radix: 16) else { return nil }
        self.init(process: UInt32(number >> 16), count: UInt16(truncatingIfNeeded: number))
    }

    /// The number as twelve hexadecimal digits.
    var text: String {
        let digits = String(UInt64(process) << 16 | UInt64(count), radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
