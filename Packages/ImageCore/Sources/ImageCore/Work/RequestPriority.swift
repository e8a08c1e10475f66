/// The urgency of a request. Work of higher priority starts first, and in order of arrival within one priority.
public enum RequestPriority: Int, Comparable, Sendable, CaseIterable, Codable {
    /// The priorities, from least to most urgent.
    case veryLow, low, normal, high, veryHigh

    public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}
