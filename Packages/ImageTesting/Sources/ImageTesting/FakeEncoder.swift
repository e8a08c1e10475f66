import ImageCore

/// A lossless encoder of `FakeImage` files.
struct FakeEncoder: ImageEncoder {
    /// The longest side that the encoder supports, in pixels.
    static let largestSide = 65_535

    /// The format that the encoder reports.
    let format: ImageFormat
    /// Whether the encoder says that it keeps alpha. It always does.
    let keepsAlpha: Bool
    private let failure: ImageEncodingError?

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: The format that the encoder reports. The files are always `FakeImage` files.
    ///   - keepsAlpha: Whether the encoder says that it keeps alpha.
    ///   - failure: The error that every call throws.
    init(
        format: ImageFormat = .fake, keepsAlpha: Bool = true, failure: ImageEncodingError? = nil
    ) {
        self.format = format
        self.keepsAlpha = keepsAlpha
        self.failure = failure
    }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        try encode([bitmap], in: bitmap.colorSpace, delays: [], loopCount: 1)
    }

    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        let (frames, space) = frames.inOneColorSpace
        return try encode(frames.map(\.bitmap), in: space, delays: frames.map(\.delay), loopCount: loopCount)
    }

    private func encode(
        _ frames: [Bitmap], in space: ColorSpace, delays: [Duration], loopCount: Int
    ) throws(ImageEncodingError) -> Data {
        if let failure { throw failure }
        guard let size = frames.first?.size, frames.allSatisfy({ $0.size == size }) else { throw .inconsistentFrames }
        guard (1...Self.largestSide).contains(size.width), (1...Self.largestSide).contains(size.height) else {
            throw .unsupportedSize(.fake, size)
        }
        let image = FakeImage(
            size, frames: frames.map(\.withoutHiddenAlpha.pixels), delays: delays, loopCount: loopCount,
            hasAlpha: !frames.allSatisfy(\.isOpaque), colorProfile: space.profile)
        return image.encoded
    }
}
