/// What a loader has done so far, in numbers.
public struct ImageLoaderStatistics: Hashable, Sendable {
    /// Requests that ended in one way.
    public struct Tally: Hashable, Sendable {
        public var count = 0
        /// Of all of them together, from start to end.
        public var duration = Duration.zero

        public init() {}

        /// Nil when there were none.
        public var averageDuration: Duration? { count == 0 ? nil : duration / count }
    }

    /// How often a layer of caches was asked.
    public struct Lookups: Hashable, Sendable {
        public var hits = 0
        public var misses = 0

        public init() {}

        /// From 0 to 1; nil when nobody asked.
        public var hitRatio: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
    }

    /// Requests that were answered, by where the answer came from.
    public var succeeded: [ImageSource: Tally] {
        let all = ImageSource.allCases.map { ($0, answered[$0]) }
        return Dictionary(uniqueKeysWithValues: all.filter { $1.count > 0 })
    }
    private var answered = BySource()
    public var failed = Tally()
    public var cancelled = Tally()
    /// Looks into memory that ended a request, or did not. `cachedImage(for:)` counts when it finds something.
    public var memory = Lookups()
    /// Looks at what is stored: hits needed no network.
    public var disk = Lookups()
    /// Bytes of originals that came over the network.
    public var downloadedBytes = 0
    /// Bytes of originals that need not come once more, because requests shared a download.
    public var savedBytes = 0

    public init() {}

    /// A tally for each source, without a dictionary's search: each request is counted.
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

    /// Notes one fact about one request.
    ///
    /// - Parameter elapsed: since the request began.
    public mutating func note(_ kind: ImageLoadEvent.Kind, at elapsed: Duration) {
        switch kind {
        case .memoryHit: memory.hits += 1
        case .memoryMiss(let cause): if cause.isLookup { memory.misses += 1 }
        case .diskHit, .staleHit: disk.hits += 1
        case .diskMiss(let cause): if cause.isLookup { disk.misses += 1 }
        case .downloadFinished(let bytes): downloadedBytes += bytes
        case .joined(let bytes): savedBytes += bytes
        case .succeeded(let source): answered[source].add(elapsed)
        case .failed: failed.add(elapsed)
        case .cancelled: cancelled.add(elapsed)
        case .started, .validated, .refreshed, .diskFailed, .queued, .downloadStarted, .received, .decodingStarted,
            .decoded,
            .processed, .keptInMemory, .keptOnDisk, .heldBack, .waitsForNetwork:
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

/// What the caches of a loader hold, in bytes; nil where a cache does not tell.
public struct CacheSizes: Hashable, Sendable {
    /// Decoded images.
    public var memory: Int?
    /// Encoded originals.
    public var disk: Int?

    public init(memory: Int?, disk: Int?) {
        self.memory = memory
        self.disk = disk
    }
}
