#if RedisCaching
    import ImageCore

    /// Decides whether commands are sent to a server that failed. Pure: it takes the time as a parameter.
    ///
    /// A failure opens the breaker: no command is sent. After a delay, one probe is sent. If it succeeds, the breaker is
    /// closed, and commands are sent again. Each delay is twice as long as the one before, up to a limit, until a
    /// command succeeds.
    struct CircuitBreaker: Hashable, Sendable {
        /// What to do with a command.
        enum Admission: Hashable, Sendable {
            case send
            case reject
            /// Reject the command, and send a probe.
            case rejectAndProbe
        }

        private enum Phase: Hashable, Sendable {
            case closed
            case open(until: Duration)
            case probing
        }

        private var phase = Phase.closed
        private var delay: Duration
        private let firstDelay: Duration
        private let maxDelay: Duration

        init(firstDelay: Duration, maxDelay: Duration) {
            self.firstDelay = firstDelay.limited
            self.maxDelay = max(firstDelay, maxDelay).limited
            delay = self.firstDelay
        }

        var isClosed: Bool { phase == .closed }

        /// Decides about a command at a time.
        mutating func admit(at now: Duration) -> Admission {
            switch phase {
            case .closed: return .send
            case .probing: return .reject
            case .open(let time):
                guard now >= time else { return .reject }
                phase = .probing
                return .rejectAndProbe
            }
        }

        /// A command succeeded.
        mutating func commandSucceeded() {
            if phase == .closed { delay = firstDelay }
        }

        /// A command failed. Failures of commands that were sent before the breaker opened have no effect.
        mutating func commandFailed(at now: Duration) {
            if phase == .closed { open(at: now) }
        }

        /// A probe ended.
        mutating func probeEnded(isSuccess: Bool, at now: Duration) {
            guard phase == .probing else { return }
            if isSuccess { phase = .closed } else { open(at: now) }
        }

        private mutating func open(at now: Duration) {
            phase = .open(until: now + delay)
            delay = min(delay * 2, maxDelay)
        }
    }
#endif
