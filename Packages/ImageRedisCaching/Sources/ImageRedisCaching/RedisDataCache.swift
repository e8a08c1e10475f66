#if RedisCaching
    public import ImageCore
    public import NIOCore

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Stores encoded bytes on a Redis server (version 7) or a Valkey server, which several processes can share.
    ///
    /// - A lookup returns a complete entry or nil, and never throws. Each lookup verifies a checksum of the whole entry.
    ///   A damaged entry is removed.
    /// - A lookup that takes longer than `commandTimeout` is a miss. After a failure of the server, no command is sent for
    ///   some time. A command of the cache's own then finds out whether the server is back.
    /// - `store`, `remove` and `removeAll` throw if the server didn't confirm them. If it can't be reached, the older entry
    ///   stays until its lifetime ends.
    /// - An entry larger than `maxEntryBytes` or `byteLimit` is rejected. If a store is rejected, or the server's memory is
    ///   full, the older entry for the key is removed.
    public struct RedisDataCache: DataCache {
        let client: RedisClient
        let options: RedisCacheOptions
        let recorder = RedisStatisticsRecorder()
        let keys: RedisKeys

        /// Creates a cache with its own threads. They end when the cache and its leases are released. It connects with the
        /// first operation.
        ///
        /// - Parameters:
        ///   - url: `redis://[[user]:password@]host[:port][/database]`, `rediss://` with the same parts, or
        ///     `unix:///path[?database=number]`.
        ///   - options: The limits, timeouts and lifetimes.
        ///   - clock: Measures how long a server that failed is left alone. Timeouts use the event loops' clock.
        /// - Throws: `RedisConfigurationError` if the URL or an option is invalid.
        public init(
            url: URL, options: RedisCacheOptions = RedisCacheOptions(), clock: any Clock<Duration>
        ) throws(RedisConfigurationError) {
            try self.init(url, options, group: nil, clock: clock)
        }

        /// Creates a cache that uses the event loops of an application. Shut them down after the last operation.
        ///
        /// - Parameters:
        ///   - url: As for the other initializer.
        ///   - options: The limits, timeouts and lifetimes.
        ///   - eventLoopGroup: The event loops for all connections.
        ///   - clock: Measures how long a server that failed is left alone.
        /// - Throws: `RedisConfigurationError` if the URL or an option is invalid.
        public init(
            url: URL, options: RedisCacheOptions = RedisCacheOptions(), eventLoopGroup: any EventLoopGroup,
            clock: any Clock<Duration>
        ) throws(RedisConfigurationError) {
            try self.init(url, options, group: eventLoopGroup, clock: clock)
        }

        private init(
            _ url: URL, _ options: RedisCacheOptions, group: (any EventLoopGroup)?, clock: any Clock<Duration>
        ) throws(RedisConfigurationError) {
            guard options.isNamespaceValid else { throw .invalidNamespace(options.namespace) }
            var options = options
            // The lengths of the parts have 32 bits, and hiredis' formatter counts in 32 bits.
            options.maxEntryBytes = min(max(0, options.maxEntryBytes), 1 << 30)
            self.options = options
            keys = RedisKeys(namespace: options.namespace)
            client = try RedisClient(url, options, group: group, clock: clock)
        }

        /// Counts of the operations of this cache since it was created.
        public var statistics: RedisCacheStatistics { recorder.current }

        /// Whether commands are sent. False after a failure of the server, until it replies again.
        public var isAvailable: Bool { client.isAvailable }

        /// Returns the name of an entry's key on the server.
        package func keyName(of key: DataCacheKey) -> String { keys.entry(key) }

        /// Returns the entry for a key, or nil if it is missing, damaged or too large, or if the server fails.
        public func entry(for key: DataCacheKey) async -> DataCacheEntry? {
            guard let value = await value(for: key) else {
                recorder.record { $0.misses += 1 }
                return nil
            }
            switch RedisEntryFormat.read(value, for: key) {
            case .entry(let entry):
                recorder.record {
                    $0.hits += 1
                    $0.bytesRead += value.count
                }
                return entry
            case .otherKey: recorder.record { $0.misses += 1 }
            case .damaged:
                recorder.record {
                    $0.misses += 1
                    $0.damaged += 1
                }
                _ = await attempt(removal(of: [keys.entry(key)]))
            }
            return nil
        }

        /// Stores an entry, and replaces an older one for its key. Returns after the server has confirmed it.
        ///
        /// - Throws: `DataCacheFailure.tooLarge` if the entry exceeds a limit, `.noSpace` if the server's memory is full,
        ///   `.inaccessible` if it can't be reached, or `.io` if it replied another error.
        public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
            let size = RedisEntryFormat.size(of: entry, for: key)
            let allowed = min(options.maxEntryBytes, max(0, options.byteLimit ?? .max))
            guard size <= allowed else {
                try await remove(for: key)
                throw .tooLarge(bytes: size, allowed: allowed)
            }
            switch await attempt(storing(entry, of: size, for: key)) {
            case .success:
                recorder.record {
                    $0.stored += 1
                    $0.bytesWritten += size
                }
            case .failure(let failure):
                // The older entry is outdated. A server that didn't reply is not asked again.
                if case .server = failure { _ = await attempt(removal(of: [keys.entry(key)])) }
                throw failure.asDataCacheFailure
            }
        }

        /// Removes the entry for a key. Does nothing if it is missing.
        ///
        /// - Throws: `DataCacheFailure` if the server didn't confirm the removal.
        public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
            _ = try await required(removal(of: [keys.entry(key)]))
        }

        /// Removes all entries of the namespace. Other keys on the server stay.
        ///
        /// The server lists its keys step by step (SCAN), so it replies to other clients in between.
        ///
        /// - Throws: `DataCacheFailure` if the server didn't confirm a step. Some entries may be removed then.
        public func removeAll() async throws(DataCacheFailure) {
            var cursor = "0"
            // The number of steps is bounded, in case that the server never ends the iteration.
            for _ in 0..<Self.maxScanSteps {
                let scan = RedisCommand("SCAN", cursor, "MATCH", keys.entryPattern, "COUNT", "1000")
                if Task.isCancelled { throw .io("redis: cancelled") }
                guard case .array(let parts) = try await required(scan), parts.count == 2,
                    let next = parts[0].text, case .array(let found) = parts[1]
                else { throw .io("redis: the reply to SCAN is none") }
                let names = found.compactMap(\.text)
                if !names.isEmpty { _ = try await required(removal(of: names)) }
                if next == "0" { return }
                cursor = next
            }
            throw .io("redis: SCAN doesn't end")
        }

        private static let maxScanSteps = 1_000_000

        /// Reads a value, with at most one byte more than allowed. Returns nil if it is missing, too large, or if the
        /// server fails.
        private func value(for key: DataCacheKey) async -> Data? {
            guard case .success(.bulk(let value)) = await attempt(reading(key)), !value.isEmpty else { return nil }
            guard value.count <= options.maxEntryBytes else {
                recorder.record { $0.oversized += 1 }
                return nil
            }
            return value
        }

        /// Sends a command, and counts its failure.
        private func attempt(_ command: RedisCommand) async -> Result<RedisReply, RedisFailure> {
            do {
                return .success(try await client.send(command))
            } catch {
                recorder.record { $0.count(error) }
                return .failure(error)
            }
        }

        private func required(_ command: RedisCommand) async throws(DataCacheFailure) -> RedisReply {
            switch await attempt(command) {
            case .success(let reply): return reply
            case .failure(let failure): throw failure.asDataCacheFailure
            }
        }
    }
#endif
