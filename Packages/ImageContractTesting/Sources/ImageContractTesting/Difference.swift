#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Describes how two values differ, so that a message never compares two equal texts.
enum Difference {
    /// Returns the difference of two sequences of bytes, or nil if they are equal.
    static func bytes(_ found: some Collection<UInt8>, expected: some Collection<UInt8>) -> String? {
        if found.count != expected.count { return "\(found.count) bytes, not \(expected.count)" }
        guard let first = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 }) else { return nil }
        return "byte \(first.offset) of \(found.count) is \(first.element.0), not \(first.element.1)"
    }

    /// Returns the parts that differ, each with its name, or nil if none does.
    static func parts(_ parts: [(name: String, difference: String?)]) -> String? {
        let different = parts.compactMap { name, difference in difference.map { "\(name): \($0)" } }
        return different.isEmpty ? nil : different.joined(separator: "; ")
    }

    /// Returns both values, or nil if they are equal.
    static func values<Value: Equatable>(_ found: Value, expected: Value) -> String? {
        found == expected ? nil : "\(found), not \(expected)"
    }

    /// Returns both dates in seconds, because the text of a date has no fractions, or nil if they are equal.
    static func seconds(_ found: Date, expected: Date) -> String? {
        values(found.timeIntervalSinceReferenceDate, expected: expected.timeIntervalSinceReferenceDate)
    }
}
