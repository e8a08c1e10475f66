/// How urgent a request is. Work of higher priority starts first; within one priority, first come, first served.
public enum RequestPriority: Int, Comparable, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}
