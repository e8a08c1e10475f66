public import ImageCore

/// The parameters of a generated image. They determine its bytes.
public struct ImageRecipe: Hashable, Sendable {
    /// The number of the scene.
    public var id: Int
    /// The file format.
    public var format: ImageFormat
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// Whether the file is progressive or interlaced.
    public var isProgressive = false
    /// Whether the image has transparent parts.
    public var hasAlpha = false
    /// Whether the encoding is lossless.
    public var isLossless = false
    /// Whether the image shows its id as a `NumberMark`.
    public var isNumbered = false
    /// The number of frames of an animation, or `nil` for a still image.
    public var frames: Int?
    /// The quality of JPEG and lossy WebP, from 1 to 100.
    public var quality = 85

    /// The maximum number of pixels of an image, including all frames.
    public static let maximumArea = 16 << 20
    /// The maximum width and height in pixels.
    public static let maximumSide = 8192

    /// Creates the parameters of a still, opaque image.
    public init(id: Int, format: ImageFormat, width: Int, height: Int) {
        self.id = id
        self.format = format
        self.width = width
        self.height = height
    }

    /// The size in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns the same image with a longer side of `side` pixels.
    func thumbnail(_ side: Int) -> ImageRecipe {
        var small = self
        let longer = max(width, height)
        small.width = max(1, (width * side + longer / 2) / longer)
        small.height = max(1, (height * side + longer / 2) / longer)
        return small
    }

    /// The path and query of the image's URL.
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

    private static let suffixes: [ImageFormat: String] = [.jpeg: "jpg", .png: "png", .webP: "webp", .gif: "gif"]
}

extension ImageRecipe {
    /// Parses `/images/<id>.<jpg|jpeg|png|webp|gif>?w=…&h=…` with options. Returns nil if the path is not that of an
    /// image.
    ///
    /// - Throws: `BadRequest` if a number is out of range, or the format doesn't support an option.
    init?(_ target: Target) throws(BadRequest) {
        let name = target.path.dropFirst("/images/".count).split(separator: ".", omittingEmptySubsequences: false)
        guard target.path.hasPrefix("/images/"), name.count == 2, let id = Int(name[0]), id >= 0 else { return nil }
        let suffix = name[1] == "jpeg" ? "jpg" : String(name[1])
        guard let format = Self.suffixes.first(where: { $0.value == suffix })?.key else { return nil }
        let sides = 1...Self.maximumSide
        self.init(
            id: id, format: format, width: try target.number("w", sides) ?? 600,
            height: try target.number("h", sides) ?? 400)
        isProgressive = try target.flag("progressive")
        hasAlpha = try target.flag("alpha")
        isLossless = try target.flag("lossless")
        isNumbered = try target.flag("numbered")
        quality = try target.number("quality", 1...100) ?? 85
        let frames = try target.number("frames", 1...200) ?? 12
        if try target.flag("animated") { self.frames = frames }
        try check()
    }

    private func check() throws(BadRequest) {
        guard size.area * (frames ?? 1) <= Self.maximumArea else {
            throw BadRequest(text: "an image must have at most \(Self.maximumArea) pixels, including all frames")
        }
        let options: [(isRequested: Bool, formats: [ImageFormat], text: String)] = [
            (hasAlpha, [.png, .webP, .gif], "transparency"),
            (isProgressive, [.jpeg, .png, .gif], "progressive encoding"),
            (isLossless, [.png, .webP], "lossless encoding"), (frames != nil, [.gif, .webP, .png], "animation"),
        ]
        for option in options where option.isRequested && !option.formats.contains(format) {
            throw BadRequest(text: "\(format) does not support \(option.text)")
        }
    }
}
