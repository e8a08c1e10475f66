/// A token bucket (Turner, "New Directions in Communications", 1986). Its number of tokens can be negative.
///
/// It reads no clock. The time that you pass must never decrease.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var time = Duration.zero

    init(_ rate: StartRate) {
        capacity = Double(max(1, rate.burst))
        perSecond = rate.perSecond > 1e-6 ? min(rate.perSecond, 1e9) : 1e-6
        tokens = capacity
    }

    mutating func take(at now: Duration) {
        tokens = tokens(at: now) - 1
        time = now
    }

    /// Returns how long it takes until there is a token, or nil if there is one.
    func wait(at now: Duration) -> Duration? {
        let missing = 1 - tokens(at: now)
        return missing > 1e-9 ? .seconds(missing / perSecond) : nil
    }

    private func tokens(at now: Duration) -> Double {
        min(capacity, tokens + (now - time) / .seconds(1) * perSecond)
    }
}
