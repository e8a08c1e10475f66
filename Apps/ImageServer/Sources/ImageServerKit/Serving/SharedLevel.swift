import ImageCore
import ImageRedisCaching

/// The cache that several servers share, and their lease.
struct SharedLevel: Sendable {
    let cache: any ImageDataCache
    let lease: any RenderingLease

    /// Returns nil if the settings have no Redis server.
    ///
    /// - Throws: `SettingsFailure.invalid` if the server was built without the trait `Redis`, or if the URL is not valid.
    static func make(_ settings: ServerSettings) throws(SettingsFailure) -> SharedLevel? {
        guard let url = settings.redisURL else { return nil }
        #if Redis
            var options = RedisCacheOptions()
            options.namespace = settings.redisNamespace
            options.connectTimeout = settings.redisTimeout
            options.commandTimeout = settings.redisTimeout
            options.entryByteLimit = max(settings.limits.sourceBytes, settings.limits.resultBytes)
            do throws(RedisConfigurationError) {
                let cache = try RedisDataCache(url: url, options: options, clock: ContinuousClock())
                let lease = DistributedLease(store: RedisLeaseStore(sharing: cache), clock: ContinuousClock())
                return SharedLevel(cache: cache, lease: RedisLease(lease: lease))
            } catch {
                switch error {
                case .invalidURL(let reason), .tls(let reason): throw .invalid("redisUrl", reason)
                case .invalidNamespace(let reason): throw .invalid("redisNamespace", reason)
                @unknown default: throw .invalid("redisUrl", "\(error)")
                }
            }
        #else
            throw .invalid("redisUrl", "the server was built without the trait Redis: \(url.scheme ?? "")")
        #endif
    }
}

#if Redis
    /// A lease on a Redis server.
    private struct RedisLease: RenderingLease {
        let lease: DistributedLease

        func value<Value: Sendable>(
            for key: String, lookup: () async -> Value?, produce: () async throws -> Value
        ) async throws -> Value {
            try await lease.value(for: key, lookup: lookup, produce: produce)
        }
    }
#endif
