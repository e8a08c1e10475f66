public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens GIF images, 87a and 89a, still and animated.
///
/// giflib walks the records; the pixels are decompressed and composited here, frame by frame, so that memory is
/// one canvas (two where a frame restores what was before it), however many frames there are. A still image that is
/// not interlaced streams through with one row in memory.
///
/// Animations follow browsers: the canvas starts transparent, disposal 2 clears to transparent, frames are clipped to
/// the canvas, delays of 0 and 10 ms become 100 ms, and a loop extension that says n plays n + 1 times.
public struct GIFDecoder: ImageDecoder {
    /// Makes a decoder; it holds no state.
    public init() {}

    public var format: ImageFormat { .gif }

    public func recognises(_ prefix: Data) -> Bool {
        prefix.starts(with: "GIF87a".utf8) || prefix.starts(with: "GIF89a".utf8)
    }

    /// Steps over all records for the number of frames, their delays and the loop count; decompresses nothing.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(6)) else {
            throw data.count < 6 ? .truncated(.gif) : .malformed(.gif, "the signature is not GIF87a or GIF89a")
        }
        let structure = try GIFStructure(scanning: data, limits: limits)
        return OpenedGIF(data: data, structure: structure, limits: limits)
    }
}
