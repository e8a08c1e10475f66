/// Rejects transfers to a host after several consecutive failures (Nygard, "Release It!", 2007). It reads no clock.
///
/// While closed, it admits all attempts; while open, none for some time. Then a single attempt decides (half-open).
struct CircuitBreaker {
    /// The status of a host after an attempt.
    enum HostStatus {
        case up, down
        /// The attempt was cancelled or interrupted.
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

    /// Whether it is closed, without failures.
    var isPristine: Bool { phase == .closed(failures: 0) }

    /// Returns whether an attempt may start. If so, call `ended` after the attempt.
    mutating func admits(now: Duration) -> Bool {
        switch phase {
        case .closed: return true
        case .probing: return false
        case .open(let until):
            if now >= until { phase = .probing }
            return now >= until
        }
    }

    mutating func ended(_ status: HostStatus, now: Duration) {
        switch (phase, status) {
        case (_, .up): phase = .closed(failures: 0)
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down), (.probing, .down): phase = .open(until: now + pause)
        case (.probing, .unknown): phase = .open(until: now)
        case (.open, _), (.closed, .unknown): break
        }
    }
}
