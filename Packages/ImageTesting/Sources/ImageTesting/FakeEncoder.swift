public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes `FakeImage` files, without loss.
public struct FakeEncoder: ImageEncoder {
    /// Sides above this are refused, as real formats do.
    public static let largestSide = 65_535

    public let format: ImageFormat
    private let failure: EncodingFailure?

    /// - Parameters:
    ///   - format: what the encoder says that it writes; what it writes is always a `FakeImage`.
    ///   - failure: thrown by every call.
    public init(format: ImageFormat = .fake, failure: EncodingFailure? = nil) {
        self.format = format
        self.failure = failure
    }

    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try encode([bitmap], delays: [], loopCount: 1)
    }

    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data {
        try encode(frames.map(\.bitmap), delays: frames.map(\.delay), loopCount: loopCount)
    }

    private func encode(_ frames: [Bitmap], delays: [Duration], loopCount: Int) throws(EncodingFailure) -> Data {
        if let failure { throw failure }
        guard let size = frames.first?.size, frames.allSatisfy({ $0.size == size }) else { throw .inconsistentFrames }
        guard (1...Self.largestSide).contains(size.width), (1...Self.largestSide).contains(size.height) else {
            throw .unsupportedSize(.fake, size)
        }
        let image = FakeImage(
            size, frames: frames.map(\.pixels), delays: delays, loopCount: loopCount,
            hasAlpha: !frames.allSatisfy(\.isOpaque))
        return image.encoded
    }
}
