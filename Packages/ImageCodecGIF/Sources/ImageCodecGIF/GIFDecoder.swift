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

/// A GIF file whose records have been read.
final class OpenedGIF: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: GIFStructure
    private let limits: DecodingLimits
    /// The state after the last decoded frame. Decoding in order costs one frame each.
    private var compositor: GIFCompositor?

    init(data: Data, structure: GIFStructure, limits: DecodingLimits) {
        self.data = data
        self.structure = structure
        self.limits = limits
        let isAnimated = structure.frames.count > 1
        header = ImageHeader(
            format: .gif, storedSize: structure.canvas, frameCount: structure.frames.count,
            frameDelays: isAnimated ? structure.frames.map { Self.shownDelay($0.delay) } : [],
            loopCount: isAnimated ? structure.loopCount : 1, hasAlpha: structure.hasAlpha)
    }

    /// Returns the delay for playback. Like browsers, it replaces 0 and 1 hundredths of a second with 10.
    private static func shownDelay(_ hundredths: Int) -> Duration {
        .milliseconds(hundredths <= 1 ? 100 : hundredths * 10)
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// Returns the size of the decompressor, and unless the rows are streamed, of the canvas and of restored pixels.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard structure.frames.indices.contains(index) else { return 0 }
        let frame = structure.frames[index]
        return isStreamed
            ? LZWReader.byteCount(pixels: frame.area)
            : GIFCompositor(canvas: structure.canvas).byteCount(drawing: frame)
    }

    private var isStreamed: Bool { structure.frames.count == 1 && !structure.frames[0].isInterlaced }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard structure.frames.indices.contains(index) else {
            let isMissing = structure.isTruncated && index >= structure.frames.count
            throw isMissing ? .truncated(.gif) : .noSuchFrame(index, frameCount: structure.frames.count)
        }
        guard size == structure.canvas, layout == .rgba8 else {
            throw .unsupported(.gif, "the image can only be decoded at \(structure.canvas) as RGBA")
        }
        if isStreamed {
            try GIFRowStreamer(frame: structure.frames[0], canvas: structure.canvas).stream(from: data.span, into: sink)
        } else {
            try composite(through: index, for: sink)
            try compositor?.send(to: sink)
        }
    }

    private func composite(through index: Int, for sink: any PixelRowSink) throws(DecodingFailure) {
        // Moved out to avoid a copy of the canvas on write. It is discarded if a frame fails halfway.
        var working = compositor ?? GIFCompositor(canvas: structure.canvas)
        compositor = nil
        // A truncated last frame may leave part of the canvas unchanged.
        let isPartial = structure.isTruncated && index == structure.frames.count - 1
        let complete = structure.frames[..<(isPartial ? index : index + 1)]
        let start = complete.lastIndex { $0.replaces(structure.canvas) } ?? 0
        if working.next > index + 1 || working.next < start { working.restart(at: start) }
        while working.next <= index {
            try limits.check(.decodedBytes, working.byteCount(drawing: structure.frames[working.next]))
            do throws(DecodingFailure) {
                try working.draw(structure.frames[working.next], from: data.span, for: sink)
            } catch {
                if error == .truncated(.gif), working.next == index { try working.send(to: sink) }
                throw error
            }
        }
        compositor = consume working
    }
}
