/// The number of renderings in progress: in total, and for each origin.
struct OriginCounts: Sendable {
    private(set) var total = 0
    private var byOrigin: [String: Int] = [:]

    subscript(origin: String) -> Int { byOrigin[origin, default: 0] }

    mutating func add(_ origin: String) {
        total += 1
        byOrigin[origin, default: 0] += 1
    }

    mutating func remove(_ origin: String) {
        total -= 1
        let count = byOrigin[origin, default: 1] - 1
        byOrigin[origin] = count > 0 ? count : nil
    }
}
