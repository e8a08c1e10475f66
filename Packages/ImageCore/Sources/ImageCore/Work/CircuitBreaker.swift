/// Rejects work for a while after several consecutive failures (Nygard, "Release It!", 2007). Pure: it takes the time as a
/// parameter.
///
/// While closed, it admits everything; while open, nothing for a pause. Then a single probe decides.
package struct CircuitBreaker: Sendable {
    /// What finished work says about what it depends on.
    package enum Verdict: Sendable {
        case up, down
        /// The work was cancelled, or its failure says nothing.
        case unknown
    }

    package enum Admission: Sendable {
        case admitted, refused
        /// Admitted as the single probe that decides.
        case probe
    }

    private enum Phase: Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        case probing
    }

    private let threshold: Int
    private let firstPause: Duration
    private let maxPause: Duration
    private var pause: Duration
    private var phase = Phase.closed(failures: 0)

    /// - Parameters:
    ///   - threshold: The number of consecutive failures that open the breaker. Values below 1 count as 1.
    ///   - pause: The time for which it stays open.
    ///   - maxPause: If it is longer, pauses double up to this limit, until work other than a probe succeeds.
    package init(threshold: Int = 1, pause: Duration, maxPause: Duration = .zero) {
        self.threshold = max(1, threshold)
        firstPause = pause.limited
        self.maxPause = max(pause, maxPause).limited
        self.pause = firstPause
    }

    package var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether it refuses work now.
    package func refuses(now: Duration) -> Bool {
        switch phase {
        case .closed: false
        case .open(let until): now < until
        case .probing: true
        }
    }

    /// Whether it is closed, without failures.
    package var isPristine: Bool { phase == .closed(failures: 0) }

    /// Returns whether work may start. If so, call `ended` after it.
    package mutating func admit(now: Duration) -> Admission {
        switch phase {
        case .closed: return .admitted
        case .probing: return .refused
        case .open(let until):
            if now < until { return .refused }
            phase = .probing
            return .probe
        }
    }

    /// The probe has begun to succeed: everything is admitted while it runs. A single failure opens the breaker again.
    package mutating func probeAnswered() {
        if phase == .probing { phase = .closed(failures: threshold - 1) }
    }

    /// Admitted work ended.
    package mutating func ended(_ verdict: Verdict, isProbe: Bool, now: Duration) {
        switch (phase, verdict) {
        case (_, .up):
            phase = .closed(failures: 0)
            if !isProbe { pause = firstPause }
        case (.closed(let failures), .down) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case (.closed, .down): open(now: now)
        case (.probing, .down) where isProbe: open(now: now)
        case (.probing, .unknown) where isProbe: phase = .open(until: now)
        case (.open, _), (.closed, .unknown), (.probing, _): break
        }
    }

    private mutating func open(now: Duration) {
        phase = .open(until: now + pause)
        pause = min(pause * 2, maxPause)
    }
}
