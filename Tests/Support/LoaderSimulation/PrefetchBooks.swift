import ImageLoading

/// What prefetchers may do: so many at once, and none more while they pause.
struct PrefetchBooks: Sendable {
    static let limit = 2
    /// Of all prefetchers.
    static let totalLimit = limit * ImagePrefetcher.Destination.allCases.count
    /// How many were under way when the pause began, and have not joined work yet; nil when there is no pause.
    private var joinsLeft: Int?

    /// - Parameter joinsLeft: nil ends the pause.
    mutating func pause(joinsLeft: Int?) { self.joinsLeft = joinsLeft.map { self.joinsLeft ?? $0 } }
    mutating func joined() { joinsLeft? -= 1 }

    /// - Parameter waiting: how many prefetches wait for shared work.
    func violation(_ waiting: Int) -> Violation? {
        if waiting > Self.totalLimit { return Violation(.limits, "\(waiting) prefetches, allowed \(Self.totalLimit)") }
        if let joinsLeft, joinsLeft < 0 { return Violation(.holding, "a prefetch begins in a pause") }
        return nil
    }
}
