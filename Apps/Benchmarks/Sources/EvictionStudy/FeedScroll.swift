import ImageTesting

/// Simulates how a user scrolls through a feed of images: the typical access pattern of an image loader's memory cache.
///
/// New posts appear at the top. A session starts there, scrolls down, and sometimes flings back up. Each post shows a thumbnail
/// and its author's avatar, and sometimes the full image. A few authors write most posts. One session in `archiveEvery` scrolls
/// far into the archive, which isn't viewed again soon: a scan.
public struct FeedScroll: Sendable {
    public var seed: UInt64 = 1
    public var sessions = 240
    /// The number of posts before the first session.
    public var firstPosts = 300
    /// The maximum number of new posts between two sessions, uniformly distributed.
    public var newPosts = 12
    /// The minimum depth of a session in posts, and the mean of the exponentially distributed rest.
    public var shallowest = 8
    public var meanDepth = 60.0
    public var archiveEvery = 20
    public var archiveDepth = 1_500
    public var authors = 400
    /// The exponent of Zipf's law for authors.
    public var authorExponent = 1.0
    /// The probabilities, at each post, of opening the full image and of flinging back.
    public var fullChance = 0.03
    public var flingChance = 0.02
    /// The length of a fling in posts.
    public var fling = 5...30
    /// Decoded sizes in bytes, 4 per pixel: thumbnails of 300 × 170 to 400, avatars of 96 × 96, full images of width 1,080.
    public var thumbnailBytes = 300 * 170 * 4...300 * 400 * 4
    public var avatarBytes = 96 * 96 * 4...96 * 96 * 4
    public var fullBytes = 1_080 * 608 * 4...1_080 * 1_920 * 4

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
            let depth = isScan ? parameters.archiveDepth : someDepth()
            var place = 0
            while place < min(depth, postAuthors.count) {
                show(post: postAuthors.count - 1 - place)
                place += 1
                if happens(parameters.flingChance) {
                    place = max(0, place - Int.random(in: parameters.fling, using: &random))
                }
            }
        }

        private mutating func post(_ count: Int) {
            for _ in 0..<count { postAuthors.append(authors.next(using: &random)) }
        }

        private mutating func someDepth() -> Int {
            let share = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)
            return parameters.shallowest + Int(-logarithm(share) * parameters.meanDepth)
        }

        private mutating func show(post: Int) {
            ask(for: FeedImage(kind: .thumbnail, number: post), parameters.thumbnailBytes)
            ask(for: FeedImage(kind: .avatar, number: postAuthors[post]), parameters.avatarBytes)
            if happens(parameters.fullChance) { ask(for: FeedImage(kind: .full, number: post), parameters.fullBytes) }
        }

        private mutating func ask(for image: FeedImage, _ bytes: ClosedRange<Int>) {
            let key = keys.number(of: image)
            if key == sizes.count { sizes.append(Int.random(in: bytes, using: &random)) }
            accesses.append(Trace.Access(key: key, size: sizes[key]))
        }

        private mutating func happens(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }
    }
}
