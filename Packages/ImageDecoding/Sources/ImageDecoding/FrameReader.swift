public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes the frames of one file, one at a time: composited, upright, in sRGB, at the size that was asked for.
///
/// Keeps the codec's canvas from one frame to the next, so that reading in order costs one frame each; going back costs the
/// frames since the last one that stands on its own. Keeps no frame. Synchronous and processor-bound, and not `Sendable`:
/// `AnimatedImage` is what a view plays.
public final class FrameReader {
    public let header: ImageHeader
    private let image: any OpenedImage
    private let decoder: DownsamplingDecoder
    private let target: ImageTarget?

    fileprivate init(_ data: Data, decoder: DownsamplingDecoder, target: ImageTarget?) throws(DecodingFailure) {
        image = try decoder.open(data)
        header = image.header
        self.decoder = decoder
        self.target = target
    }

    /// Throws `.noSuchFrame`, `.cancelled`, and what decoding throws.
    public func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> Bitmap {
        if isCancelled() { throw .cancelled }
        let request = DecodingRequest(target: target, frame: index)
        return try decoder.image(of: image, request: request, isCancelled: isCancelled).bitmap
    }
}

extension DownsamplingDecoder {
    /// A reader of the frames of a file. Throws what opening the file throws.
    public func makeFrameReader(of data: Data, target: ImageTarget? = nil) throws(DecodingFailure) -> FrameReader {
        try FrameReader(data, decoder: self, target: target)
    }
}
