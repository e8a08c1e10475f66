/// Counts of a loader's requests, cache lookups and bytes since it was created.
public struct ImageLoaderStatistics: Hashable, Sendable {
    /// The number and the duration of requests.
    public struct Tally: Hashable, Sendable {
        /// The number of requests.
        public var count = 0
        /// The sum of their durations, from start to end.
        public var duration = Duration.zero

        /// Creates a tally of nothing.
        public init() {}

        /// The average duration; nil without requests.
        public var averageDuration: Duration? { count == 0 ? nil : duration / count }
    }

    /// The lookups of a cache.
    public struct Lookups: Hashable, Sendable {
        /// The number of hits.
        public var hits = 0
        /// The number of misses.
        public var misses = 0

        /// Creates a count of no lookups.
        public init() {}

        /// The share of hits, from 0 to 1; nil without lookups.
        public var hitRatio: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
    }

    /// Successful requests by source.
    public var succeeded: [ImageSource: Tally] {
        let all = ImageSource.allCases.map { ($0, succeededBySource[$0]) }
        return Dictionary(uniqueKeysWithValues: all.filter { $1.count > 0 })
    }
    private var succeededBySource = BySource()
    /// Failed requests.
    public var failed = Tally()
    /// Cancelled requests.
    public var cancelled = Tally()
    /// Lookups of the memory cache. `cachedImage(for:)` counts hits only.
    public var memory = Lookups()
    /// Lookups of the disk cache. A hit needs no network.
    public var disk = Lookups()
    /// Bytes of originals received from the network.
    public var downloadedBytes = 0
    /// Bytes of originals that were not received again, because requests shared a download.
    public var savedBytes = 0

    /// Creates statistics of a loader that has done nothing.
    public init() {}

    /// A tally for each source.
    private struct BySource: Hashable, Sendable {
        private var memory = Tally()
        private var disk = Tally()
        private var validated = Tally()
        private var stale = Tally()
        private var network = Tally()

        subscript(source: ImageSource) -> Tally {
            get {
                switch source {
                case .memory: memory
                case .disk: disk
                case .validated: validated
                case .stale: stale
                case .network: network
                }
            }
            set {
                switch source {
                case .memory: memory = newValue
                case .disk: disk = newValue
                case .validated: validated = newValue
                case .stale: stale = newValue
                case .network: network = newValue
                }
            }
        }
    }

    /// Counts an event.
    ///
    /// - Parameter elapsed: The time since the request was made.
    public mutating func record(_ kind: ImageLoadEvent.Kind, at elapsed: Duration) {
        switch kind {
        case .memoryHit: memory.hits += 1
        case .memoryMiss(let cause): if cause.isLookup { memory.misses += 1 }
        case .diskHit, .staleHit: disk.hits += 1
        case .diskMiss(let cause): if cause.isLookup { disk.misses += 1 }
        case .downloadFinished(let bytes): downloadedBytes += bytes
        case .joined(let bytes): savedBytes += bytes
        case .succeeded(let source): succeededBySource[source].add(elapsed)
        case .failed: failed.add(elapsed)
        case .cancelled: cancelled.add(elapsed)
        case .started, .validated, .refreshed, .diskFailed, .queued, .downloadStarted, .received, .decodingStarted,
            .decoded,
            .processed, .storedInMemory, .storedOnDisk, .deferred, .waitingForNetwork:
            break
        }
    }
}

extension ImageLoaderStatistics.Tally {
    fileprivate mutating func add(_ elapsed: Duration) {
        count += 1
        duration += elapsed
    }
}

/// The sizes of a loader's caches in bytes; nil if a cache doesn't report its size.
public struct CacheSizes: Hashable, Sendable {
    /// The size of the memory cache.
    public var memory: Int?
    /// The size of the disk cache.
    public var disk: Int?

    /// Creates sizes in bytes; nil if a cache doesn't report its size.
    public init(memory: Int?, disk: Int?) {
        self.memory = memory
        self.disk = disk
    }
}
