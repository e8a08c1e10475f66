/// Refuses transfers to a host that has failed several times in a row (Nygard, Release It!, 2007).
///
/// Closed, it admits all; open, none for a while; then half-open: one attempt decides. It is passed the time.
struct CircuitBreaker {
    /// What an attempt says about its host.
    enum Finding {
        case up, down
        /// It was cancelled or interrupted.
        case unknown
    }

    private enum Phase: Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        case probing
    }

    private let threshold: Int
    private let pause: Duration
    private var phase = Phase.closed(failures: 0)

    init(threshold: Int, pause: Duration) {
        self.threshold = threshold
        self.pause = pause
    }

    /// Closed, without failures.
    var isPristine: Bool { phase == .closed(failures: 0) }

    /// Whether an attempt may start. Then `ended` must follow.
    mutating func admits(now: Duration) -> Bool {
        switch phase {
        case .closed: return true
        case .probing: return false
        case .open(let until):
            if now >= until { phase = .probing }
            return now >= until
        }
    }

    mutating func ended(_ finding: Finding, now: Duration) {
        switch (phase, finding) {
        case (_, .up): phase = .closed(failures: 0)
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down), (.probing, .down): phase = .open(until: now + pause)
        case (.probing, .unknown): phase = .open(until: now)
        case (.open, _), (.closed, .unknown): break
        }
    }
}
