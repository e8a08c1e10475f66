import CImageCodecGIF
public import ImageCore

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

    public var format: ImageFormat { .gif }

    /// Returns whether the data starts with `GIF87a` or `GIF89a`.
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: "GIF87a".utf8) || prefix.starts(with: "GIF89a".utf8)
    }

    /// Reads all records for the number of frames, their delays and the loop count. Decompresses no pixels.
    ///
    /// - Throws: `.malformed` or `.truncated` if the file has no readable image, or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
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
    private var canvas: AnimationCanvas?
    private var reader: LZWReader?

    init(data: Data, structure: GIFStructure, limits: DecodingLimits) {
        self.data = data
        self.structure = structure
        self.limits = limits
        let isAnimated = structure.frames.count > 1
        header = ImageHeader(
            format: .gif, storedSize: structure.canvas, frameCount: structure.frames.count,
            frameDelays: isAnimated ? structure.frames.map { Duration.milliseconds($0.delay * 10).shownDelay } : [],
            loopCount: isAnimated ? structure.loopCount : 1, hasAlpha: structure.hasAlpha)
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// Returns the size of the decompressor, and unless the rows are streamed, of the canvas and of restored pixels.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard structure.frames.indices.contains(index) else { return 0 }
        let frame = structure.frames[index]
        return isStreamed
            ? LZWReader.byteCount(pixels: frame.area)
            : byteCount(drawing: frame)
    }

    private func byteCount(drawing frame: GIFFrame) -> Int {
        AnimationCanvas(structure.canvas).byteCount(drawing: frame.onCanvas(structure.canvas))
            + LZWReader.byteCount(pixels: frame.area)
    }

    private var isStreamed: Bool { structure.frames.count == 1 && !structure.frames[0].isInterlaced }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
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
            try canvas?.send(to: sink)
        }
    }

    private func composite(through index: Int, for sink: any PixelRowSink) throws(ImageDecodingError) {
        // Moved out to avoid a copy of the canvas on write. It is discarded if a frame fails halfway.
        var working = canvas ?? AnimationCanvas(structure.canvas)
        canvas = nil
        if self.reader == nil { self.reader = try LZWReader() }
        guard let reader else { return }
        working.seek(to: index) { structure.frames[$0].onCanvas(structure.canvas) }
        while working.next <= index {
            let frame = structure.frames[working.next]
            try limits.check(.decodedBytes, byteCount(drawing: frame))
            do throws(ImageDecodingError) {
                try working.paint(frame, from: data.span, with: reader, on: structure.canvas, for: sink)
            } catch {
                if error == .truncated(.gif), working.next == index + 1 { try working.send(to: sink) }
                throw error
            }
        }
        canvas = consume working
    }
}

/// An image in the file: its position on the canvas and the location of its data.
struct GIFFrame {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
    /// Whether the file ends within the frame, so that part of the canvas may stay unchanged.
    var isTruncated = false
    /// False if nothing is drawn, because the size is zero or the data is empty, as in some tracking pixels.
    var hasPixels = true
    var isInterlaced: Bool
    var palette: GIFPaletteLocation
    /// The offset of the LZW code size byte in the file.
    var dataOffset: Int
    var transparentIndex: Int?
    var disposal: CanvasFrame.Disposal
    /// The stored delay in hundredths of a second.
    var delay: Int
    /// The number of pixels.
    var area: Int { width * height }

    /// Whether the frame replaces every pixel of a canvas of this size.
    func replaces(_ canvas: PixelSize) -> Bool {
        hasPixels && transparentIndex == nil && left == 0 && top == 0 && width >= canvas.width
            && height >= canvas.height
    }
}

/// The location of a palette in the file. Each color takes three bytes: red, green and blue.
struct GIFPaletteLocation {
    var offset: Int
    /// The number of colors. 0 if the file has no palette for the frame.
    var count: Int
}

extension CanvasFrame.Disposal {
    /// Creates a disposal (GIF89a, 23.c.iv). Treats code 4 as 3, as browsers do: early texts numbered the bits, not the
    /// values.
    init(code: Int32) {
        switch code {
        case 2: self = .clear
        case 3, 4: self = .restore
        default: self = .keep
        }
    }
}

/// The canvas and frames of a file, without pixels.
struct GIFStructure {
    var canvas: PixelSize
    var frames: [GIFFrame] = []
    /// The stored number of repetitions after the first play. `nil` if there is no loop extension.
    var repetitions: Int?
    /// Whether the file ends within a record. The last frame may then be incomplete, and others may be missing.
    var isTruncated = false

    /// Reads all records of the file, in time linear in its length and memory linear in the number of frames.
    init(scanning data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        var scan = GIFScan(limits: limits)
        // `withUnsafeBytes` can't throw a typed error, so the closure returns a `Result`.
        let outcome: Result<GIFStructure, ImageDecodingError> = unsafe data.withUnsafeBytes { bytes in
            Result { () throws(ImageDecodingError) in try unsafe scan.run(bytes) }
        }
        self = try outcome.get()
    }

    fileprivate init(canvas: PixelSize) { self.canvas = canvas }

    /// The number of times the animation plays: 0 to loop forever, 1 without a loop extension.
    var loopCount: Int {
        guard let repetitions else { return 1 }
        return repetitions == 0 ? 0 : repetitions + 1
    }

    /// Whether a pixel of the canvas may ever be transparent. A transparent pixel over an opaque first frame shows that
    /// frame.
    var hasAlpha: Bool {
        guard let first = frames.first, first.replaces(canvas) else { return true }
        if frames.count > 1, first.disposal == .restore { return true }
        return frames.dropLast().contains { $0.disposal == .clear }
    }
}

/// Collects the frames while it reads the records.
private struct GIFScan {
    let limits: DecodingLimits
    /// The last graphic control extension. It applies to the next image or plain text only (GIF89a, 23).
    var control: gif_record?

    mutating func run(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) -> GIFStructure {
        var failure = gif_record_malformed
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let reader = unsafe gif_reader_open(start, bytes.count, &failure) else {
            throw error(failure, "the screen descriptor can't be read")
        }
        defer { unsafe gif_reader_close(reader) }
        let canvas = unsafe PixelSize(width: Int(gif_reader_width(reader)), height: Int(gif_reader_height(reader)))
        var structure = GIFStructure(canvas: canvas)
        let palette = unsafe GIFPaletteLocation(offset: 13, count: Int(gif_reader_palette_count(reader)))
        while true {
            let record = unsafe gif_reader_next(reader)
            guard try process(record, globalPalette: palette, into: &structure) else { return structure }
        }
    }

    /// Processes a record. Returns false at the end of the file.
    private mutating func process(
        _ record: gif_record, globalPalette: GIFPaletteLocation, into structure: inout GIFStructure
    ) throws(ImageDecodingError) -> Bool {
        switch record.kind {
        case gif_record_image, gif_record_truncated_image:
            try add(record, globalPalette: globalPalette, to: &structure)
            return record.kind == gif_record_image
        case gif_record_graphic_control: control = record
        case gif_record_plain_text: control = nil
        case gif_record_loop: structure.repetitions = Int(record.repetitions)
        case gif_record_other: break
        default:
            structure.isTruncated = record.kind == gif_record_truncated
            if structure.frames.isEmpty { throw missingImage(record.kind) }
            return false
        }
        return true
    }

    private mutating func add(
        _ image: gif_record, globalPalette: GIFPaletteLocation, to structure: inout GIFStructure
    ) throws(ImageDecodingError) {
        if structure.frames.isEmpty { structure.canvas = try canvas(structure.canvas, including: image) }
        // Tracking pixels end anywhere.
        let isTrackingPixel = image.is_empty != 0 && structure.canvas.area == 1
        structure.isTruncated = image.kind == gif_record_truncated_image && !isTrackingPixel
        var frame = frame(image, globalPalette: globalPalette)
        frame.isTruncated = structure.isTruncated
        frame.hasPixels = frame.area > 0 && (structure.isTruncated || image.is_empty == 0)
        structure.frames.append(frame)
        control = nil
        try limits.check(.frames, structure.frames.count)
        try limits.check(PixelSize(width: frame.width, height: frame.height))
    }

    /// Enlarges the canvas to a larger first image, as browsers do. Some programs write a smaller canvas, or none.
    private func canvas(_ canvas: PixelSize, including first: gif_record) throws(ImageDecodingError) -> PixelSize {
        var size = canvas
        if first.width > canvas.width || first.height > canvas.height {
            size.width = max(canvas.width, Int(first.left + first.width))
            size.height = max(canvas.height, Int(first.top + first.height))
        }
        guard size.width > 0, size.height > 0 else { throw .malformed(.gif, "the canvas size is \(size)") }
        try limits.check(size)
        return size
    }

    /// Files with a missing or damaged trailer are common. The images before the trailer are complete.
    private func missingImage(_ kind: gif_record_kind) -> ImageDecodingError {
        kind == gif_record_truncated || kind == gif_record_no_trailer
            ? .truncated(.gif) : .malformed(.gif, "the file contains no image")
    }

    private func frame(_ record: gif_record, globalPalette: GIFPaletteLocation) -> GIFFrame {
        let local = GIFPaletteLocation(offset: Int(record.palette_offset), count: Int(record.palette_count))
        return GIFFrame(
            left: Int(record.left), top: Int(record.top), width: Int(record.width), height: Int(record.height),
            isInterlaced: record.is_interlaced != 0, palette: local.count > 0 ? local : globalPalette,
            dataOffset: Int(record.data_offset), transparentIndex: transparentIndex,
            disposal: CanvasFrame.Disposal(code: control?.disposal ?? 0), delay: Int(control?.delay ?? 0))
    }

    private var transparentIndex: Int? {
        guard let index = control?.transparent_index, index >= 0 else { return nil }
        return Int(index)
    }

    private func error(_ kind: gif_record_kind, _ text: String) -> ImageDecodingError {
        kind == gif_record_truncated ? .truncated(.gif) : .malformed(.gif, text)
    }
}
