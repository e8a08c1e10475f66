public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes GIF 87a and 89a, still and animated.
///
/// giflib reads the records. The pixels are decompressed and composited frame by frame, so that memory is limited to
/// one canvas, or two if a frame restores the previous pixels. A still image that is not interlaced needs one row.
///
/// Animations play as in browsers: a larger first frame enlarges the canvas, which starts transparent and
/// clips the others. A frame without data draws nothing, as in tracking pixels. Disposal 2 clears to transparent. Delays of 0 and 10 ms become 100 ms. A loop extension with the value n plays n + 1 times.
public struct GIFDecoder: ImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    /// `.gif`.
    public var format: ImageFormat { .gif }

    /// Returns whether the data starts with `GIF87a` or `GIF89a`.
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: "GIF87a".utf8) || prefix.starts(with: "GIF89a".utf8)
    }

    /// Reads all records for the number of frames, their delays and the loop count. Decompresses no pixels.
    ///
    /// - Throws: `.malformed` or `.truncated` if the file has no readable image, or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(6)) else {
            throw data.count < 6 ? .truncated(.gif) : .malformed(.gif, "the signature is neither GIF87a nor GIF89a")
        }
        let structure = try GIFStructure(scanning: data, limits: limits)
        return OpenedGIF(data: data, structure: structure, limits: limits)
    }
}
