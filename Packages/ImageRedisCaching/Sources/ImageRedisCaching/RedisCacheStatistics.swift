#if RedisCaching
    import ImageCore
    import Synchronization

    /// Counts of the operations of a cache on a Redis server since it was created.
    public struct RedisCacheStatistics: Hashable, Sendable {
        /// The number of lookups that found an entry.
        public var hits = 0
        /// The number of lookups that found no entry, including those that failed.
        public var misses = 0
        /// The number of stored entries.
        public var stored = 0
        /// The number of damaged entries that were found.
        public var damaged = 0
        /// The number of entries that were not read because they are larger than `maxEntryBytes`.
        public var oversized = 0
        /// The number of operations that the server replied an error to.
        public var serverErrors = 0
        /// The number of operations that failed because there was no connection, it was closed, or a reply was invalid.
        public var connectionFailures = 0
        /// The number of operations that took too long.
        public var timeouts = 0
        /// The number of operations that were not sent because the server had failed before.
        public var skipped = 0
        /// The number of operations that were not sent because too many others waited.
        public var rejected = 0
        /// The total length of the values that were read, in bytes.
        public var bytesRead = 0
        /// The total length of the values that were stored, in bytes.
        public var bytesWritten = 0

        /// Creates statistics in which all counts are 0.
        public init() {}

        /// Counts a failure.
        mutating func count(_ failure: RedisFailure) {
            switch failure {
            case .unavailable: skipped += 1
            case .overloaded: rejected += 1
            case .timedOut: timeouts += 1
            case .disconnected, .malformed: connectionFailures += 1
            case .server: serverErrors += 1
            }
        }
    }

    /// Counts the operations of a cache.
    final class RedisStatisticsRecorder: Sendable {
        private let statistics = Mutex(RedisCacheStatistics())

        var current: RedisCacheStatistics { statistics.withLock { $0 } }

        func record(_ body: (inout RedisCacheStatistics) -> Void) { statistics.withLock { body(&$0) } }
    }

    extension RedisFailure {
        /// The failure of an operation of a data cache.
        var asDataCacheFailure: DataCacheFailure {
            switch self {
            case .unavailable, .overloaded, .timedOut, .disconnected: .inaccessible("redis: \(self)")
            case .malformed: .io("redis: \(self)")
            case .server(let error): error.code == "OOM" ? .noSpace : .io("redis: \(self)")
            }
        }
    }

    extension RedisFailure: CustomStringConvertible {
        var description: String {
            switch self {
            case .unavailable(let reason): "not asked for some time after a failure: \(reason)"
            case .overloaded: "too many commands wait for their replies"
            case .timedOut: "timed out"
            case .disconnected(let reason), .malformed(let reason): reason
            case .server(let error): error.text
            }
        }
    }
#endif
