import ImageTesting

/// Simulates how a user scrolls through a feed of images: the typical access pattern of an image loader's memory cache.
///
/// New posts appear at the top. A session starts there, scrolls down, and sometimes flings back up. Each post shows a
/// thumbnail and its author's avatar, and sometimes the full image. A few authors write most posts. One session in
/// `archiveEvery` scrolls far into the archive, which isn't viewed again soon: a scan.
public struct FeedScroll: Sendable {
    /// The seed of the random numbers.
    public var seed: UInt64 = 1
    /// The number of sessions.
    public var sessions = 240
    /// The number of posts before the first session.
    public var firstPosts = 300
    /// The maximum number of new posts between two sessions, uniformly distributed.
    public var newPosts = 12
    /// The minimum depth of a session in posts.
    public var minimumDepth = 8
    /// The mean of the exponentially distributed depth beyond the minimum, in posts.
    public var meanDepth = 60.0
    /// The interval of the sessions that scroll into the archive, in sessions.
    public var archiveEvery = 20
    /// The depth of a session that scrolls into the archive, in posts.
    public var archiveDepth = 1_500
    /// The number of authors.
    public var authors = 400
    /// The exponent of Zipf's law for authors.
    public var authorExponent = 1.0
    /// The probability, at each post, of opening the full image.
    public var fullChance = 0.03
    /// The probability, at each post, of flinging back up.
    public var flingChance = 0.02
    /// The length of a fling in posts.
    public var fling = 5...30
    /// The decoded size of a thumbnail of 300 × 170 to 400 pixels, in bytes.
    public var thumbnailBytes = 300 * 170 * 4...300 * 400 * 4
    /// The decoded size of an avatar of 96 × 96 pixels, in bytes.
    public var avatarBytes = 96 * 96 * 4...96 * 96 * 4
    /// The decoded size of a full image of width 1,080, in bytes.
    public var fullBytes = 1_080 * 608 * 4...1_080 * 1_920 * 4

    /// Creates the default parameters.
    public init() {}

    private enum Kind: Hashable {
        case thumbnail, avatar, full
    }

    private struct FeedImage: Hashable {
        var kind: Kind
        var number: Int
    }

    /// Returns the accesses. The same seed always gives the same trace.
    public func trace(named name: String) -> Trace {
        var scroll = Scroll(parameters: self)
        for session in 0..<sessions { scroll.session(session) }
        return Trace(name: name, accesses: scroll.accesses)
    }

    private struct Scroll {
        let parameters: FeedScroll
        var random: SeededRandom
        var postAuthors: [Int] = []
        let authors: Zipf
        var keys = KeyNumbers<FeedImage>()
        var sizes: [Int] = []
        var accesses: [Trace.Access] = []

        init(parameters: FeedScroll) {
            self.parameters = parameters
            random = SeededRandom(seed: parameters.seed)
            authors = Zipf(count: parameters.authors, exponent: parameters.authorExponent)
            post(parameters.firstPosts)
        }

        mutating func session(_ number: Int) {
            post(Int.random(in: 0...parameters.newPosts, using: &random))
            let isScan = number % parameters.archiveEvery == parameters.archiveEvery - 1
            let depth = isScan ? parameters.archiveDepth : randomDepth()
            var position = 0
            while position < min(depth, postAuthors.count) {
                show(post: postAuthors.count - 1 - position)
                position += 1
                if occurs(parameters.flingChance) {
                    position = max(0, position - Int.random(in: parameters.fling, using: &random))
                }
            }
        }

        private mutating func post(_ count: Int) {
            for _ in 0..<count { postAuthors.append(authors.next(using: &random)) }
        }

        private mutating func randomDepth() -> Int {
            let share = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)
            return parameters.minimumDepth + Int(-logarithm(share) * parameters.meanDepth)
        }

        private mutating func show(post: Int) {
            access(FeedImage(kind: .thumbnail, number: post), parameters.thumbnailBytes)
            access(FeedImage(kind: .avatar, number: postAuthors[post]), parameters.avatarBytes)
            if occurs(parameters.fullChance) { access(FeedImage(kind: .full, number: post), parameters.fullBytes) }
        }

        private mutating func access(_ image: FeedImage, _ bytes: ClosedRange<Int>) {
            let key = keys.number(of: image)
            if key == sizes.count { sizes.append(Int.random(in: bytes, using: &random)) }
            accesses.append(Trace.Access(key: key, size: sizes[key]))
        }

        private mutating func occurs(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }
    }
}
