/// Leaves a host alone that has failed several times in a row, until one transfer has found that it is back. Pure: it is
/// told the time.
///
/// Closed, it lets everything through; open, nothing for a while; then half-open: one probe, whose end decides.
/// (Nygard, Release It!, 2007.)
struct CircuitBreaker {
    /// What an attempt has shown of its host.
    enum Finding {
        case up, down
        /// Nothing: it was cancelled, or broke off halfway.
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

    /// Closed, with no failure to remember.
    var isPristine: Bool { phase == .closed(failures: 0) }

    /// Whether an attempt may begin. Each that may must end with `ended`.
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
