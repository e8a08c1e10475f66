import Foundation

/// Looks for the highest quality whose file has at most a number of bytes, with few encodes.
///
/// Between two known files, the logarithm of the size is taken as linear in the quality. A file that is a little smaller
/// than the limit is good enough.
struct QualitySearch {
    private struct File {
        let quality: Int
        let bytes: Int
    }

    /// The most encodes, the first included.
    private static let maxEncodes = 8
    /// A file of this part of the limit ends the search.
    private static let goodPart = 0.95
    /// The growth of the logarithm of the size with each step of quality, as long as only one file is known.
    private static let usualGrowth = 0.02

    let limit: Int
    private var encodes = 0
    /// The best file within the limit.
    private var small: File?
    /// The smallest file beyond the limit.
    private var large: File?

    init(limit: Int) { self.limit = limit }

    /// Notes the size of a file. Returns whether it is better than those before.
    @discardableResult
    mutating func add(_ bytes: Int, quality: Int) -> Bool {
        encodes += 1
        let file = File(quality: quality, bytes: bytes)
        if bytes <= limit {
            guard quality > small?.quality ?? 0 else { return false }
            small = file
            return true
        }
        if quality < large?.quality ?? .max { large = file }
        return small == nil
    }

    /// The quality to try next; nil if the search is over.
    var next: Int? {
        guard let large, !isGoodEnough else { return nil }
        let lowest = (small?.quality ?? 0) + 1
        let highest = large.quality - 1
        guard lowest <= highest, encodes < Self.maxEncodes else { return nil }
        // On both sides, so much is left at most that halving it with the other encodes finds the best.
        let rest = (1 << (Self.maxEncodes - encodes - 1)) - 1
        let first = max(lowest, highest - rest)
        let last = min(highest, lowest + rest)
        return first < last ? min(max(estimate(large), first), last) : (lowest + highest) / 2
    }

    private var isGoodEnough: Bool { Double(small?.bytes ?? 0) >= Self.goodPart * Double(limit) }

    private func estimate(_ large: File) -> Int {
        let excess = log(Double(large.bytes) / Double(max(1, limit)))
        guard let small else { return large.quality - Int((excess / Self.usualGrowth).rounded(.up)) }
        let growth = log(Double(large.bytes) / Double(max(1, small.bytes)))
        return large.quality - Int((excess / growth * Double(large.quality - small.quality)).rounded(.up))
    }
}
