public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes the frames of one file, one at a time: composited, upright, in sRGB and at the target size.
///
/// Keeps the canvas of the codec, so that each frame is decoded once if you read them in order. Otherwise frames are
/// decoded again from the last independent one. Does not cache frames. Synchronous and CPU-bound, and not `Sendable`. To
/// play an animation, use `AnimatedImage`.
public final class FrameReader {
    /// The header of the file.
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

    /// Decodes a frame.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - isCancelled: Called between rows. Return true to stop decoding.
    /// - Throws: `.noSuchFrame`, `.cancelled`, or an error of the decoder.
    public func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> Bitmap {
        if isCancelled() { throw .cancelled }
        let request = DecodingRequest(target: target, frame: index)
        return try decoder.image(of: image, request: request, isCancelled: isCancelled).bitmap
    }
}

extension DownsamplingDecoder {
    /// Opens a file to read its frames.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - target: The target size, or nil for the size of the canvas.
    /// - Throws: An error of the decoder that opens the file.
    public func makeFrameReader(of data: Data, target: ImageTarget? = nil) throws(DecodingFailure) -> FrameReader {
        try FrameReader(data, decoder: self, target: target)
    }
}
