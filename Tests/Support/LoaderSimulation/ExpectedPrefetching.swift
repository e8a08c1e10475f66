import ImageLoading

/// Checks that prefetchers run a limited number of requests, and start none while paused.
struct ExpectedPrefetching: Sendable {
    static let limit = 2
    /// The limit of all prefetchers together.
    static let totalLimit = limit * ImagePrefetcher.Destination.allCases.count
    /// The number of prefetches that ran at the start of the pause and have not called a coalescer; nil without a
    /// pause.
    private var callsLeft: Int?

    mutating func pause(callsLeft: Int) { self.callsLeft = self.callsLeft ?? callsLeft }

    mutating func resume() { callsLeft = nil }

    mutating func called() { callsLeft? -= 1 }

    /// - Parameter count: The number of prefetches that wait for an operation.
    func violation(count: Int) -> Violation? {
        if count > Self.totalLimit { return Violation(.limits, "\(count) prefetches run, allowed \(Self.totalLimit)") }
        if let callsLeft, callsLeft < 0 { return Violation(.pausing, "a prefetch starts while paused") }
        return nil
    }
}
