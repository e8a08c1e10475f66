/// Tokens that are taken one by one and come back at a rate, up to a number (Turner, New Directions in Communications, 1986).
/// Pure: it is told the time, which never goes back.
///
/// More may be taken than there are: what is owed comes back first.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var time = Duration.zero

    init(_ rate: StartRate) {
        capacity = Double(max(1, rate.burst))
        perSecond = max(rate.perSecond, 1e-6)
        tokens = capacity
    }

    mutating func take(at now: Duration) {
        tokens = tokens(at: now) - 1
        time = now
    }

    /// How long it takes until there is a token; nil when there is one.
    func wait(at now: Duration) -> Duration? {
        let missing = 1 - tokens(at: now)
        return missing > 1e-9 ? .seconds(missing / perSecond) : nil
    }

    private func tokens(at now: Duration) -> Double {
        min(capacity, tokens + (now - time) / .seconds(1) * perSecond)
    }
}
