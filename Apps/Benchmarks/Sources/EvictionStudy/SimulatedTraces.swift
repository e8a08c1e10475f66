import Foundation
import ImageTesting

extension Trace {
    /// Two feeds, and two servers whose keys have a Zipf distribution. They are always the same.
    public static let simulated = [
        FeedScroll(seed: 1).trace("feed"),
        FeedScroll(seed: 2, sessions: 120, meanDepth: 150, archiveEvery: 10).trace("feed, long sessions"),
        zipf("Zipf 0.9", exponent: 0.9, seed: 3), zipf("Zipf 1.1", exponent: 1.1, seed: 4),
    ]

    private static func zipf(_ name: String, exponent: Double, seed: UInt64) -> Trace {
        var random = SeededRandom(seed: seed)
        let distribution = Zipf(count: 20_000, exponent: exponent)
        return Trace(name: name, (0..<150_000).map { _ in (name: distribution.next(using: &random), size: 1) })
    }
}

/// Random numbers with a Zipf distribution: the probability of n is proportional to 1 / (n + 1)^exponent.
private struct Zipf {
    /// The cumulative probability of each number.
    private let cumulative: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...count).map { rank -> Double in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
        cumulative = sums.map { $0 / sum }
    }

    func next(using random: inout SeededRandom) -> Int {
        let chance = Double.random(in: 0..<1, using: &random)
        var (low, high) = (0, cumulative.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > chance { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Simulates how a user scrolls through a feed of images: the typical access pattern of an image loader's memory cache.
///
/// New posts appear at the top. A session starts there, scrolls down, and sometimes flings back up. Each post shows a
/// thumbnail and its author's avatar, and sometimes the full image. A few authors write most posts. One session in
/// `archiveEvery` scrolls far into the archive, which isn't viewed again soon: a scan.
struct FeedScroll {
    private enum Kind: Hashable {
        case thumbnail, avatar, full

        /// The decoded sizes in bytes: widths of 300, 96 and 1,080 pixels.
        var sizes: ClosedRange<Int> {
            switch self {
            case .thumbnail: 300 * 170 * 4...300 * 400 * 4
            case .avatar: 96 * 96 * 4...96 * 96 * 4
            case .full: 1_080 * 608 * 4...1_080 * 1_920 * 4
            }
        }
    }

    private struct Image: Hashable {
        var kind: Kind
        var number: Int
    }

    private let sessions: Int
    private let archiveEvery: Int
    /// The mean of the exponentially distributed depth of a session beyond 8 posts.
    private let meanDepth: Double
    private let authors = Zipf(count: 400, exponent: 1)
    private var random: SeededRandom
    /// The author of each post.
    private var posts: [Int] = []
    private var sizes: [Image: Int] = [:]
    private var accesses: [(name: Image, size: Int)] = []

    init(seed: UInt64, sessions: Int = 240, meanDepth: Double = 60, archiveEvery: Int = 20) {
        self.sessions = sessions
        self.meanDepth = meanDepth
        self.archiveEvery = archiveEvery
        random = SeededRandom(seed: seed)
    }

    consuming func trace(_ name: String) -> Trace {
        post(300)
        for number in 1...sessions { session(isScan: number % archiveEvery == 0) }
        return Trace(name: name, accesses)
    }

    private mutating func session(isScan: Bool) {
        post(Int.random(in: 0...12, using: &random))
        let depth = isScan ? 1_500 : randomDepth()
        var position = 0
        while position < min(depth, posts.count) {
            show(post: posts.count - 1 - position)
            position += 1
            if occurs(0.02) { position = max(0, position - Int.random(in: 5...30, using: &random)) }
        }
    }

    private mutating func post(_ count: Int) {
        for _ in 0..<count { posts.append(authors.next(using: &random)) }
    }

    private mutating func randomDepth() -> Int {
        let share = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)
        return 8 + Int(-log(share) * meanDepth)
    }

    private mutating func show(post: Int) {
        access(Image(kind: .thumbnail, number: post))
        access(Image(kind: .avatar, number: posts[post]))
        if occurs(0.03) { access(Image(kind: .full, number: post)) }
    }

    private mutating func access(_ image: Image) {
        let size = sizes[image] ?? Int.random(in: image.kind.sizes, using: &random)
        sizes[image] = size
        accesses.append((image, size))
    }

    private mutating func occurs(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }
}
