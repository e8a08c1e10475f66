import ImageCore
public import ImageThumbHash

/// A photo of the feed, with the properties of a photo of JSONPlaceholder and a hash.
public struct Photo: Encodable, Hashable, Sendable {
    /// The number of the album, from 1. An album has 50 photos.
    public var albumId: Int
    /// The number of the photo, from 1.
    public var id: Int
    /// The title.
    public var title: String
    /// The absolute URL of the full image.
    public var url: String
    /// The absolute URL of the thumbnail, whose longer side has 300 pixels.
    public var thumbnailUrl: String
    /// Describes the image until it is loaded.
    public var thumbHash: ThumbHash
}

/// A list of photos, numbered from 1 and divided into pages.
public struct PhotoFeed: Sendable {
    /// The number of photos per page if a request doesn't specify it.
    public static let defaultLimit = 10
    /// The maximum number of photos per page.
    public static let maximumLimit = 500

    /// The number of photos.
    public let count: Int
    /// Whether each image shows its number as a `NumberMark`.
    public let isNumbered: Bool
    /// The longer side of the drawing of which a hash is made, in pixels. A hash has no details that need more.
    private static let hashedSide = 48

    /// Creates a feed.
    public init(count: Int, isNumbered: Bool = false) {
        self.count = count
        self.isNumbered = isNumbered
    }

    /// Returns the photos of a page. The result is empty past the end.
    ///
    /// - Parameters:
    ///   - page: The number of the page, from 1.
    ///   - limit: The number of photos per page.
    ///   - origin: The scheme and authority of the absolute URLs, such as `http://host:port`.
    public func page(_ page: Int, limit: Int, origin: String) -> [Photo] {
        let (start, overflow) = (page - 1).multipliedReportingOverflow(by: limit)
        guard !overflow, start < count else { return [] }
        return (start..<min(count, start + limit)).map { photo($0 + 1, origin: origin) }
    }

    func photo(_ id: Int, origin: String) -> Photo {
        let recipe = recipe(id)
        return Photo(
            albumId: (id - 1) / 50 + 1, id: id, title: Self.title(id), url: origin + recipe.target,
            thumbnailUrl: origin + recipe.thumbnail(300).target,
            thumbHash: ThumbHash(bitmap: ImageRenderer.firstFrame(of: recipe.thumbnail(Self.hashedSide))))
    }

    private func recipe(_ id: Int) -> ImageRecipe {
        var recipe = Self.recipe(id)
        recipe.isNumbered = isNumbered
        return recipe
    }

    private static let sizes = [
        (1200, 800), (800, 1200), (1200, 900), (1280, 720), (1000, 1000), (900, 1200), (1400, 700),
    ]

    /// Returns the parameters of a photo. Ten consecutive photos include each format, and twenty include each variant.
    static func recipe(_ id: Int) -> ImageRecipe {
        let (width, height) = sizes[id % sizes.count]
        var recipe = ImageRecipe(id: id, format: .jpeg, width: width, height: height)
        switch id % 10 {
        case 2, 6: recipe.isProgressive = true
        case 3: recipe.format = .webP
        case 4: recipe.format = .png
        case 5: (recipe.format, recipe.hasAlpha) = (.png, true)
        case 7: (recipe.format, recipe.isLossless) = (.webP, true)
        case 8: (recipe.format, recipe.frames) = (.gif, 12)
        case 9: recipe.format = .webP
        case 0: recipe.format = .gif
        default: break
        }
        if id % 20 == 19 { recipe.hasAlpha = true }
        if id % 20 == 9 { recipe.frames = 12 }
        switch (recipe.format, recipe.isLossless) {
        case (.webP, _) where recipe.frames != nil: return recipe.thumbnail(400)
        case (.gif, _): return recipe.thumbnail(recipe.frames == nil ? 640 : 400)
        case (_, true): return recipe.thumbnail(720)
        case (.png, _): return recipe.thumbnail(900)
        default: return recipe
        }
    }

    private static func title(_ id: Int) -> String {
        let words = titles[Composition(id: id).motif] ?? ["image"]
        var numbers = SeededGenerator(seed: UInt64(truncatingIfNeeded: id) &* 31)
        let moment = moments[numbers.index(below: moments.count)]
        return words[numbers.index(below: words.count)] + " " + moment
    }

    private static let moments = [
        "before breakfast", "on a long walk", "after the rain", "in good company", "on the way home",
        "one day in autumn",
        "with cold hands", "and nobody about", "seen twice", "from memory",
    ]

    private static let titles: [Composition.Motif: [String]] = [
        .mountains: ["the old ridge", "two summits", "snow above the trees"],
        .lake: ["the lake", "still water", "the far shore"],
        .sea: ["the sea", "a calm bay", "low sun over water"],
        .forest: ["firs", "the forest's edge", "mist in the wood"],
        .night: ["moonlight", "a clear night", "stars over the pass"],
        .flowers: ["flowers", "the garden", "petals"],
    ]
}
