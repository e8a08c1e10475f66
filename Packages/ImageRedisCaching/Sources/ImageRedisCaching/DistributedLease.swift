#if RedisCaching
    import ImageCore

    /// Lets one of many processes do work whose result is stored in a shared cache. The others wait for the result.
    ///
    /// - The first caller acquires the lease of the key, does the work, and stores the result. The others look the result
    ///   up again and again, with growing pauses. After `waitLimit` they do the work themselves.
    /// - The lease is renewed while the work runs, up to `holdLimit`. If its holder ends without releasing it, another
    ///   caller acquires it after `duration` at most.
    /// - If the store of leases fails, the caller does the work itself.
    ///
    /// It saves work, and excludes nothing: work can be done twice, for example if a lease ends early. Use it together with
    /// a `RequestCoalescer`, so that each process asks once for each key.
    public struct DistributedLease: Sendable {
        /// The times of a lease.
        public struct Options: Hashable, Sendable {
            /// The time after which a lease ends if it isn't renewed. The default is 5 seconds.
            public var duration = Duration.seconds(5)
            /// The time after which a lease is no longer renewed. The default is 60 seconds.
            public var holdLimit = Duration.seconds(60)
            /// The maximum time to wait for the result of another process. The default is 10 seconds.
            public var waitLimit = Duration.seconds(10)
            /// The first pause between two lookups. Each pause is half as long again as the one before. The default is 20 ms.
            public var firstPause = Duration.milliseconds(20)
            /// The longest pause between two lookups. The default is 250 ms.
            public var maxPause = Duration.milliseconds(250)

            /// Creates options with the default values.
            public init() {}
        }

        /// Where a value is from.
        public enum Source: Hashable, Sendable, CaseIterable {
            /// It was stored already.
            case found
            /// This process held the lease and did the work.
            case producedWithLease
            /// Another process stored it meanwhile.
            case producedElsewhere
            /// This process did the work without the lease, because it had waited too long or the store failed.
            case producedWithoutLease
        }

        private let store: any LeaseStore
        private let options: Options
        private let clock: any Clock<Duration>
        private let makeToken: @Sendable () -> String

        /// Creates a lease over a store.
        ///
        /// - Parameters:
        ///   - store: Stores the leases, for example a `RedisLeaseStore`.
        ///   - options: The times.
        ///   - clock: Measures the pauses and the time until a renewal.
        ///   - makeToken: Returns a text that no other holder has. By default, 128 random bits.
        public init(
            store: any LeaseStore, options: Options = Options(), clock: any Clock<Duration>,
            makeToken: @escaping @Sendable () -> String = { String(UInt128.random(in: .min ... .max), radix: 36) }
        ) {
            self.store = store
            self.options = options
            self.clock = clock
            self.makeToken = makeToken
        }

        /// Returns the value of a key, which one process produces.
        ///
        /// If the task is cancelled while it waits, `produce` is called at once, and can throw.
        ///
        /// - Parameters:
        ///   - key: The name of the work.
        ///   - lookup: Returns the stored value, or nil if there is none.
        ///   - produce: Does the work, and stores the value where `lookup` finds it before it returns.
        /// - Throws: The error of `produce`. The lease is then released, and another caller does the work.
        public func value<Value: Sendable, Failure: Error>(
            for key: String, lookup: () async -> Value?, produce: () async throws(Failure) -> Value
        ) async throws(Failure) -> (value: Value, source: Source) {
            if let value = await lookup() { return (value, .found) }
            let token = makeToken()
            let waited = stopwatch(clock)
            var pause = options.firstPause
            while true {
                let acquisition = await store.acquire(key, token: token, for: options.duration)
                if acquisition == .unavailable { break }
                // The holder may have stored the value between the last lookup and the end of its lease.
                if let value = await lookup() {
                    if acquisition == .acquired { await store.release(key, token: token) }
                    return (value, .producedElsewhere)
                }
                if acquisition == .acquired { return try await (hold(key, token, produce), .producedWithLease) }
                guard await hasSlept(for: min(pause, options.waitLimit - waited())) else { break }
                pause = min(pause.limited * 3 / 2, options.maxPause)
            }
            return (try await produce(), .producedWithoutLease)
        }

        /// Does the work with the lease, and releases it.
        private func hold<Value: Sendable, Failure: Error>(
            _ key: String, _ token: String, _ produce: () async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            let renewal = Task { await renew(key, token) }
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await produce())
            } catch {
                result = .failure(error)
            }
            renewal.cancel()
            // A renewal in progress compares the token, so it has no effect after the release.
            await store.release(key, token: token)
            return try result.get()
        }

        /// Renews a lease until the task is cancelled, the lease is lost, or the limit is reached.
        private func renew(_ key: String, _ token: String) async {
            let held = stopwatch(clock)
            while await hasSlept(for: options.duration / 3), held() < options.holdLimit {
                guard await store.renew(key, token: token, for: options.duration) else { return }
            }
        }

        /// Returns false if there is no time to sleep, or if the task is cancelled.
        private func hasSlept(for duration: Duration) async -> Bool {
            guard duration > .zero else { return false }
            do {
                try await clock.sleep(for: duration)
                return true
            } catch {
                return false
            }
        }
    }
#endif
