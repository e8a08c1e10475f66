/// Rejects requests to an origin after several consecutive failures (Nygard, "Release It!", 2007). Pure: it takes the
/// time as a parameter.
///
/// While closed, it admits all requests; while open, none for some time. Then a single request, the probe, decides.
struct CircuitBreaker {
    /// What a request says about its origin.
    enum Verdict {
        case up, down
        /// The request was cancelled, or its failure says nothing about the origin.
        case unknown
    }

    enum Admission {
        case admitted, refused
        /// Admitted as the single request that decides.
        case probe
    }

    private enum Phase: Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        case probing
    }

    private let threshold: Int
    private let pause: Duration
    private var phase = Phase.closed(failures: 0)

    /// - Parameters:
    ///   - threshold: The number of consecutive failures that open the breaker. Values below 1 count as 1.
    ///   - pause: The time for which it stays open.
    init(threshold: Int, pause: Duration) {
        self.threshold = max(1, threshold)
        self.pause = min(pause, .seconds(1 << 40))  // so that no sum overflows
    }

    /// Whether it is closed, without failures.
    var isPristine: Bool { phase == .closed(failures: 0) }

    /// Returns whether a request may be sent. If so, call `ended` after the exchange.
    mutating func admit(now: Duration) -> Admission {
        switch phase {
        case .closed: return .admitted
        case .probing: return .refused
        case .open(let until):
            if now < until { return .refused }
            phase = .probing
            return .probe
        }
    }

    /// The probe's response has begun: all requests are admitted while its body arrives. A single failure opens the breaker
    /// again.
    mutating func probeAnswered() {
        if phase == .probing { phase = .closed(failures: threshold - 1) }
    }

    /// An exchange ended.
    mutating func ended(_ verdict: Verdict, isProbe: Bool, now: Duration) {
        switch (phase, verdict) {
        case (_, .up): phase = .closed(failures: 0)
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down), (.probing, .down): phase = .open(until: now + pause)
        case (.probing, .unknown) where isProbe: phase = .open(until: now)
        case (.open, _), (.closed, .unknown), (.probing, .unknown): break
        }
    }
}
