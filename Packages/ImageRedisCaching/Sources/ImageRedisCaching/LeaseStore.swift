#if RedisCaching
    /// Stores leases that many processes share. A lease has one holder at a time, and ends by itself.
    ///
    /// Promises:
    /// - Of all calls of `acquire` for a key, at most one returns `.acquired` until the lease ends or is released.
    /// - Only the holder, which knows the token, can renew or release a lease.
    /// - No method throws. A store that fails returns `.unavailable` or false, within a bounded time.
    public protocol LeaseStore: Sendable {
        /// Acquires the lease of a key, if nobody holds it.
        ///
        /// - Parameters:
        ///   - key: The name of the work.
        ///   - token: A text that no other holder has.
        ///   - duration: The time after which the lease ends by itself.
        func acquire(_ key: String, token: String, for duration: Duration) async -> LeaseAcquisition
        /// Extends the lease of a key to `duration` from now. Returns false if the lease has ended or has another holder.
        func renew(_ key: String, token: String, for duration: Duration) async -> Bool
        /// Releases the lease of a key. Does nothing if it has ended or has another holder.
        func release(_ key: String, token: String) async
    }

    /// The result of acquiring a lease.
    public enum LeaseAcquisition: Hashable, Sendable, CaseIterable {
        /// The caller holds the lease.
        case acquired
        /// Another process holds the lease.
        case held
        /// The store failed, and nothing is known about the lease.
        case unavailable
    }
#endif
