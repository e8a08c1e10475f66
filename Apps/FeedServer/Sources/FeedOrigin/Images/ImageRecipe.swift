public import ImageCore

/// Everything that decides the bytes of one image.
public struct ImageRecipe: Hashable, Sendable {
    public var id: Int
    public var format: ImageFormat
    public var width: Int
    public var height: Int
    public var isProgressive = false
    public var hasAlpha = false
    public var isLossless = false
    /// Whether the id is drawn into the image, for machines to read (`NumberMark`).
    public var isNumbered = false
    /// Nil for a still image.
    public var frames: Int?
    /// From 1 to 100, for JPEG and lossy WebP.
    public var quality = 85

    /// The most pixels that one image may have, over all of its frames.
    public static let largestArea = 16 << 20
    public static let largestSide = 8192

    public init(id: Int, format: ImageFormat, width: Int, height: Int) {
        self.id = id
        self.format = format
        self.width = width
        self.height = height
    }

    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// The same image with a longer side of `side` pixels.
    func thumbnail(_ side: Int) -> ImageRecipe {
        var small = self
        let longer = max(width, height)
        small.width = max(1, (width * side + longer / 2) / longer)
        small.height = max(1, (height * side + longer / 2) / longer)
        return small
    }

    /// The path and query that ask for it.
    var target: String {
        var text = "/images/\(id).\(Self.suffixes[format] ?? format.rawValue)?w=\(width)&h=\(height)"
        if isProgressive { text += "&progressive=1" }
        if hasAlpha { text += "&alpha=1" }
        if isLossless { text += "&lossless=1" }
        if let frames { text += "&animated=1&frames=\(frames)" }
        if isNumbered { text += "&numbered=1" }
        if quality != 85 { text += "&quality=\(quality)" }
        return text
    }

    var contentType: String { "image/\(format.rawValue)" }

    private static let suffixes: [ImageFormat: String] = [.jpeg: "jpg", .png: "png", .webp: "webp", .gif: "gif"]
}

extension ImageRecipe {
    /// `/images/<id>.<jpg|jpeg|png|webp|gif>?w=…&h=…` with its options; nil if the path is not an image's.
    ///
    /// Throws when a number is out of its range or a wish is none that the format could fulfil.
    init?(_ request: HTTPRequest) throws(RequestFailure) {
        let name = request.path.dropFirst("/images/".count).split(separator: ".", omittingEmptySubsequences: false)
        guard request.path.hasPrefix("/images/"), name.count == 2, let id = Int(name[0]), id >= 0 else { return nil }
        let suffix = name[1] == "jpeg" ? "jpg" : String(name[1])
        guard let format = Self.suffixes.first(where: { $0.value == suffix })?.key else { return nil }
        let sides = 1...Self.largestSide
        self.init(
            id: id, format: format, width: try Misbehaviour.number(request, "w", sides) ?? 600,
            height: try Misbehaviour.number(request, "h", sides) ?? 400)
        isProgressive = try Self.flag(request, "progressive")
        hasAlpha = try Self.flag(request, "alpha")
        isLossless = try Self.flag(request, "lossless")
        isNumbered = try Self.flag(request, "numbered")
        quality = try Misbehaviour.number(request, "quality", 1...100) ?? 85
        let frames = try Misbehaviour.number(request, "frames", 1...200) ?? 12
        if try Self.flag(request, "animated") { self.frames = frames }
        try check()
    }

    private static func flag(_ request: HTTPRequest, _ name: String) throws(RequestFailure) -> Bool {
        switch request.parameter(name) {
        case nil, "0": return false
        case "1", "": return true
        default: throw .malformed("\(name) is 0 or 1")
        }
    }

    private func check() throws(RequestFailure) {
        guard size.area * (frames ?? 1) <= Self.largestArea else {
            throw .malformed("an image has at most \(Self.largestArea) pixels, over all of its frames")
        }
        let refusals: [(isWished: Bool, formats: [ImageFormat], text: String)] = [
            (hasAlpha, [.png, .webp, .gif], "transparency"),
            (isProgressive, [.jpeg, .png, .gif], "a progressive form"),
            (isLossless, [.png, .webp], "a lossless form"), (frames != nil, [.gif, .webp], "animation"),
        ]
        for refusal in refusals where refusal.isWished && !refusal.formats.contains(format) {
            throw .malformed("\(format) has no \(refusal.text) here")
        }
    }
}
