public import ImageCore

/// An encoded image with its HTTP metadata.
public struct RenderedImage: Hashable, Sendable {
    /// The encoded file.
    public var bytes: [UInt8]
    /// The strong entity tag, including quotes. It is a hash of the bytes.
    public var entityTag: String
}

/// Draws and encodes images. The same parameters and encoders always produce the same bytes.
public struct ImageRenderer: Sendable {
    private let encoders: [ImageFormat: any ImageEncoder]

    /// Creates a renderer with an encoder for each format. The first encoder of a format is used.
    public init(encoders: [any ImageEncoder]) {
        self.encoders = Dictionary(encoders.map { ($0.format, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Draws and encodes an image.
    ///
    /// - Throws: `ImageEncodingError`, in particular `failed` if there is no encoder for the format.
    public func render(_ recipe: ImageRecipe) throws(ImageEncodingError) -> RenderedImage {
        guard let encoder = encoders[recipe.format] else {
            throw .failed(recipe.format, "this server has no encoder for this format")
        }
        let bytes = [UInt8](try encoded(recipe, by: encoder))
        let tag = String(fingerprint(bytes), radix: 16) + "-" + String(bytes.count, radix: 16)
        return RenderedImage(bytes: bytes, entityTag: "\"\(tag)\"")
    }

    private func encoded(_ recipe: ImageRecipe, by encoder: any ImageEncoder) throws(ImageEncodingError) -> Data {
        let renderer = SceneRenderer(id: recipe.id, hasAlpha: recipe.hasAlpha)
        let options = EncodingOptions(
            quality: Double(recipe.quality) / 100, isLossless: recipe.isLossless, isProgressive: recipe.isProgressive)
        guard let count = recipe.frames else {
            return try encoder.encode(Self.bitmap(recipe, renderer), options: options)
        }
        let frames = (0..<count).map { number in
            AnimationFrame(
                bitmap: Self.bitmap(recipe, renderer, phase: Float(number) / Float(count)),
                delay: .milliseconds(100))
        }
        return try encoder.encode(frames, loopCount: 0, options: options)
    }

    /// Draws an image, or the first frame of an animation.
    static func firstFrame(of recipe: ImageRecipe) -> Bitmap {
        let renderer = SceneRenderer(id: recipe.id, hasAlpha: recipe.hasAlpha)
        return bitmap(recipe, renderer, phase: recipe.frames == nil ? nil : 0)
    }

    private static func bitmap(_ recipe: ImageRecipe, _ renderer: SceneRenderer, phase: Float? = nil) -> Bitmap {
        let scene = renderer.bitmap(size: recipe.size, phase: phase)
        return recipe.isNumbered ? NumberMark.mark(recipe.id, on: scene) : scene
    }
}
