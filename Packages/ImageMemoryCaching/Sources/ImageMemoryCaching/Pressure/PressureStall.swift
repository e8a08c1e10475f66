/// Pressure stall information: the time that tasks waited for memory (kernel documentation, accounting/psi).
struct PressureStall: Hashable, Sendable {
    /// The time since boot in which at least one task waited, in microseconds.
    var some: UInt64
    /// The time since boot in which all runnable tasks waited, in microseconds.
    var full: UInt64
}

extension PressureStall {
    /// Parses lines like `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`. Ignores other lines and fields.
    init(parsing text: String, file: String) throws(MemoryPressureFailure) {
        some = try Self.total("some", in: text, file)
        full = try Self.total("full", in: text, file)
    }

    init(file: String, read: PressureFileReader) throws(MemoryPressureFailure) {
        try self.init(parsing: try read(file), file: file)
    }

    private static func total(
        _ kind: String, in text: String, _ file: String
    ) throws(MemoryPressureFailure) -> UInt64 {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard let line = lines.first(where: { $0.first == kind[...] }) else {
            throw .malformed(file: file, "no line \"\(kind)\"")
        }
        guard let field = line.first(where: { $0.hasPrefix("total=") }), let total = UInt64(field.dropFirst(6)) else {
            throw .malformed(file: file, line.joined(separator: " "))
        }
        return total
    }
}
