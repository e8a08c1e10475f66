internal import ImageCore

/// Counts of cache lookups and results.
nonisolated struct LoadStatistics: Sendable {
    private(set) var memoryMisses = 0
    private(set) var diskHits = 0
    private(set) var diskMisses = 0
    /// The number of images and pages, by source.
    private(set) var succeeded: [ImageSource: Int] = [:]
    private(set) var downloadedBytes = 0
    private(set) var failed = 0
    private(set) var cancelled = 0

    /// The share of hits, from 0 to 1; nil without lookups.
    var memoryHitRatio: Double? { Self.ratio(succeeded[.memory] ?? 0, memoryMisses) }
    var diskHitRatio: Double? { Self.ratio(diskHits, diskMisses) }

    mutating func record(_ kind: ImageLoadEvent.Kind) {
        switch kind {
        case .memoryMiss: memoryMisses += 1
        case .diskHit, .staleHit: diskHits += 1
        case .diskMiss: diskMisses += 1
        case .downloadFinished(let bytes): downloadedBytes += bytes
        case .succeeded(let source): succeeded[source, default: 0] += 1
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        default: break
        }
    }

    private static func ratio(_ hits: Int, _ misses: Int) -> Double? {
        hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }
}
