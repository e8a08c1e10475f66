#if canImport(ImageIO)
    import ImageCore
    import ImageTransporting
    import Synchronization

    /// A transfer of the session.
    struct SessionTransfer: Sendable {
        let channel: TransferChannel
        let pause: TransferPause
        /// Keeps the priority of the task that of the request.
        var following: ChangeObservation?
    }

    /// Suspends a task at most once at a time. URLSession counts suspensions, so that a task which was suspended twice
    /// would never run again after one resumption.
    final class TransferPause: Sendable {
        private let isPaused = Mutex(false)
        private let suspend: @Sendable () -> Void
        private let resume: @Sendable () -> Void

        init(suspend: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
            self.suspend = suspend
            self.resume = resume
        }

        /// Suspends the task, unless it is suspended or this isn't needed any more.
        func begin(ifNeeded isNeeded: () -> Bool) {
            // The task is called with the lock, so that it gets the calls in the order of the changes.
            isPaused.withLock { isPaused in
                if isPaused || !isNeeded() { return }
                isPaused = true
                suspend()
            }
        }

        /// Resumes the task, if it is suspended.
        func end() {
            isPaused.withLock { isPaused in
                if !isPaused { return }
                isPaused = false
                resume()
            }
        }
    }
#endif
