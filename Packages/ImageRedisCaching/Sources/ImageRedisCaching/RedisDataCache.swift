#if RedisCaching
    public import ImageCore
    public import NIOCore

    /// Stores encoded bytes on a Redis server (version 7) or a Valkey server, which several processes can share.
    ///
    /// - A lookup returns a complete entry or nil, and never throws. A damaged entry is removed.
    /// - A lookup that takes longer than `commandTimeout` is a miss. After a failure of the server, no command is
    ///   sent for some time.
    /// - `store`, `remove` and `removeAll` throw if the server didn't confirm them.
    /// - The server limits its memory itself (`maxmemory`). If a store is rejected, the older entry for the key is
    ///   removed.
    public struct RedisDataCache: ImageDataCache {
        private static let maxScanSteps = 1_000_000

        let client: RedisClient
        let keys: RedisKeys
        private let options: RedisCacheOptions

        /// Creates a cache. It connects with the first operation.
        ///
        /// - Parameters:
        ///   - url: `redis://[[user]:password@]host[:port][/database]`, `rediss://` with the same parts, or
        ///     `unix:///path[?database=number]`.
        ///   - options: The limits, timeouts and lifetimes.
        ///   - eventLoopGroup: The event loop of the connection; nil for those that SwiftNIO shares.
        ///   - clock: Measures how long a server that failed is left alone.
        /// - Throws: `RedisConfigurationError` if the URL or an option is invalid.
        public init(
            url: URL, options: RedisCacheOptions = RedisCacheOptions(), eventLoopGroup: (any EventLoopGroup)? = nil,
            clock: any Clock<Duration> = ContinuousClock()
        ) throws(RedisConfigurationError) {
            guard options.isNamespaceValid else { throw .invalidNamespace(options.namespace) }
            var options = options
            // The lengths of the parts have 32 bits.
            options.entryByteLimit = min(max(0, options.entryByteLimit), 1 << 30)
            self.options = options
            keys = RedisKeys(namespace: options.namespace)
            client = try RedisClient(url, options, group: eventLoopGroup, clock: clock)
        }

        /// Whether commands are sent. False after a failure of the server, until it replies again.
        package var isAvailable: Bool { client.isAvailable }

        /// Returns the name of an entry's key on the server.
        package func keyName(of key: DataCacheKey) -> String { keys.entry(key) }

        /// Returns the entry for a key, or nil if it is missing, damaged or too large, or if the server fails.
        public func entry(for key: DataCacheKey) async -> DataCacheEntry? {
            // Reads at most one byte more than allowed, so that the reply is bounded.
            let command = RedisCommand("GETRANGE", keys.entry(key), "0", String(options.entryByteLimit))
            guard case .success(.bulk(let value)) = await reply(to: command), !value.isEmpty,
                value.count <= options.entryByteLimit
            else { return nil }
            switch RedisEntryFormat.read(value, for: key) {
            case .entry(let entry): return entry
            case .otherKey: return nil
            case .damaged:
                _ = await reply(to: removal(of: [keys.entry(key)]))
                return nil
            }
        }

        /// Stores an entry. Returns after the server has confirmed it.
        ///
        /// - Throws: `DataCacheError.tooLarge` above the limit, `.noSpace` if the server's memory is full,
        ///   `.inaccessible` if it can't be reached, or `.io` if it replied another error.
        public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
            let size = RedisEntryFormat.size(of: entry, for: key)
            guard size <= options.entryByteLimit else {
                try await remove(for: key)
                throw .tooLarge(byteCount: size, byteLimit: options.entryByteLimit)
            }
            var command = RedisCommand("SET", keys.entry(key))
            command.append(RedisEntryFormat.bytes(of: entry, for: key))
            command.append("PX")
            command.append(String(options.lifetime.redisMilliseconds))
            guard case .failure(let failure) = await reply(to: command) else { return }
            // The older entry is outdated. A server that didn't reply is not asked again.
            if case .server = failure { _ = await reply(to: removal(of: [keys.entry(key)])) }
            throw failure.asDataCacheError
        }

        /// Removes the entry for a key.
        ///
        /// - Throws: `DataCacheError` if the server didn't confirm the removal.
        public func remove(for key: DataCacheKey) async throws(DataCacheError) {
            _ = try await confirmed(removal(of: [keys.entry(key)]))
        }

        /// Removes all entries of the namespace, step by step (SCAN).
        ///
        /// - Throws: `DataCacheError` if the server didn't confirm a step. Some entries may be removed then.
        public func removeAll() async throws(DataCacheError) {
            var cursor = "0"
            for _ in 0..<Self.maxScanSteps {
                let scan = RedisCommand("SCAN", cursor, "MATCH", keys.entryPattern, "COUNT", "1000")
                if Task.isCancelled { throw .io("redis: cancelled") }
                guard case .array(let parts) = try await confirmed(scan), parts.count == 2,
                    let next = parts[0].text, case .array(let found) = parts[1]
                else { throw .io("redis: the reply to SCAN is none") }
                let names = found.compactMap(\.text)
                if !names.isEmpty { _ = try await confirmed(removal(of: names)) }
                if next == "0" { return }
                cursor = next
            }
            throw .io("redis: SCAN doesn't end")
        }

        private func removal(of names: [String]) -> RedisCommand {
            var command = RedisCommand("UNLINK")
            for name in names { command.append(name) }
            return command
        }

        private func reply(to command: RedisCommand) async -> Result<RedisReply, RedisFailure> {
            do throws(RedisFailure) {
                return .success(try await client.send(command))
            } catch {
                return .failure(error)
            }
        }

        private func confirmed(_ command: RedisCommand) async throws(DataCacheError) -> RedisReply {
            switch await reply(to: command) {
            case .success(let reply): return reply
            case .failure(let failure): throw failure.asDataCacheError
            }
        }
    }

    /// The names of the keys on the server: `namespace:version:kind:hash`.
    struct RedisKeys: Hashable, Sendable {
        private let prefix: String

        init(namespace: String) { prefix = "\(namespace):\(RedisEntryFormat.version):" }

        /// Returns the key of an entry. The hash is SHA-256, so that an attacker can't choose URLs that collide.
        func entry(_ key: DataCacheKey) -> String {
            "\(prefix)e:\(SHA256.hexadecimalDigest(of: Array(key.identifier.utf8)))"
        }

        var entryPattern: String { "\(prefix)e:*" }

        func lease(_ key: String) -> String { "\(prefix)lease:\(SHA256.hexadecimalDigest(of: Array(key.utf8)))" }
    }

    extension Duration {
        /// A time after which a key expires: at least a millisecond, at most 100 years.
        var redisMilliseconds: Int {
            let limited = max(limited, .milliseconds(1))
            return Int(limited.components.seconds) * 1_000 + Int(limited.components.attoseconds / 1_000_000_000_000_000)
        }
    }
#endif
