public import ImageCore

/// Decodes PNG (W3C PNG, ISO/IEC 15948): every color type and depth, interlaced or not.
///
/// Channels of 16 bits are rounded to 8, except for HDR. Rows are delivered as they are decoded. An interlaced image is stored
/// completely first, which `DecodingLimits.decodedByteLimit` limits. If it is truncated, earlier passes fill the missing
/// pixels.
///
/// Animations play as in browsers: delays up to 10 ms become 100 ms, and the default image is a frame only if a frame
/// control chunk precedes it. If the chunks of an animation are not as specified, the image is the default image.
///
/// The header has the ICC profile, or else the colors of cICP, gAMA and cHRM. The pixels are not converted. Damaged
/// critical chunks are `.malformed`, and damaged ancillary chunks are ignored.
public struct PNGDecoder: IncrementalImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    public var format: ImageFormat { .png }

    /// Returns whether the data starts with the eight bytes of the PNG signature.
    public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: PNGChunkStream.signature) }

    /// Reads the chunks before the pixels, the orientation, and the frames of an animation. Inflates no pixels.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(32)) else { throw .malformed(.png, "the PNG signature is missing") }
        return try OpenedPNG(data, limits: limits)
    }

    /// Creates an image without bytes. Previews show rows, or the passes of an interlaced image. The whole image is
    /// stored. There are no previews of an animation whose first frame is not the default image.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalPNG(limits: limits) }
}

/// A PNG file whose header has been read. Each decode of the default image starts at its pixels.
final class OpenedPNG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let preamble: PNGPreamble
    /// The state of the parser at the start of the pixels, at `offset`.
    private let parser: PNGParser
    private let offset: Int
    /// Nil for still images.
    private let animation: PNGAnimation?
    /// The canvas after the last decoded frame, and its layout. Decoding in order costs one frame each.
    private var canvas: (pixels: AnimationCanvas, layout: PixelLayout)?

    init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        var parser = PNGParser(limits: limits)
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: data.span, at: &offset) else {
            throw .truncated(.png)
        }
        let chunks = PNGChunks(data)
        animation = preamble.isAnimation ? try PNGAnimation(chunks, preamble, limits: limits) : nil
        var header = preamble.imageHeader(
            hasTransparentCanvas: animation?.hasTransparentCanvas(preamble.header.size) ?? false)
        header.orientation = chunks.orientation(limit: limits.metadataByteLimit) ?? .up
        if let animation, animation.frames.count > 1 {
            header.frameCount = animation.frames.count
            header.frameDelays = animation.frames.map(\.delay.shownDelay)
            header.loopCount = animation.loopCount
        }
        self.header = header
        self.data = data
        self.limits = limits
        self.preamble = preamble
        self.parser = parser
        self.offset = offset
    }

    /// Returns the stored size: PNG can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// Returns the size in bytes of an interlaced image, and of the canvas of a frame that is not the default image.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard let frame = drawnFrame(index) else { return preamble.heldByteCount(layout: layout) }
        return byteCount(drawing: frame, layout)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        guard (0..<header.frameCount).contains(index) else {
            let isMissing = animation?.isTruncated == true && index >= header.frameCount
            throw isMissing ? .truncated(.png) : .noSuchFrame(index, frameCount: header.frameCount)
        }
        try header.checkStored(size, layout)
        if drawnFrame(index) != nil { return try drawFrames(through: index, layout, for: sink) }
        if preamble.header.isInterlaced { try checkMemory(layout) }
        let isWhole = try decode(preamble, layout, for: sink) { (row) throws(ImageDecodingError) in
            try sink.receive(row)
        }
        if !isWhole { throw .truncated(.png) }
    }

    /// Checks that an interlaced image and its output together are within the limit.
    private func checkMemory(_ layout: PixelLayout) throws(ImageDecodingError) {
        try limits.check(.decodedBytes, preamble.imageBytes(layout).plus(preamble.imageBytes(.rgba8)))
    }

    /// Decodes the default image, or a frame with other pixels, and passes its rows to `receive`. Returns whether all
    /// rows were decoded. The end of the file may be missing.
    ///
    /// - Parameter preamble: Has the size of the frame.
    private func decode(
        _ preamble: PNGPreamble, _ layout: PixelLayout, frame: PNGFrame? = nil, for sink: any PixelRowSink,
        receive: (Span<UInt8>) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        let isInterlaced = preamble.header.isInterlaced
        let decoder = try PNGRowDecoder(preamble, layout: layout, storesRows: isInterlaced, limits: limits)
        var count = 0
        func receiveStored(_ row: Span<UInt8>) throws(ImageDecodingError) {
            if row.count > 0 { return try receive(row) }
            count += 1
            if count.isMultiple(of: Self.rowsBetweenCancellations) { try sink.checkCancellation() }
        }
        if let frame, !frame.isDefaultImage {
            try readFrame(frame) { (bytes) throws(ImageDecodingError) in
                try decoder.decode(bytes, receive: receiveStored)
            }
        } else {
            try readDefaultImage { (bytes) throws(ImageDecodingError) in
                try decoder.decode(bytes, receive: receiveStored)
            }
        }
        if isInterlaced { try decoder.readRows(at: decoder.progress, receive) }
        return decoder.hasAllRows
    }

    /// Passes the compressed pixels of the default image to `body`.
    private func readDefaultImage(
        _ body: (Span<UInt8>) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        var (parser, offset) = (parser, offset)
        let bytes = data.span
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { return }
            try body(bytes.extracting(range))
        }
    }

    /// Passes the compressed pixels of a frame to `body`.
    private func readFrame(
        _ frame: PNGFrame, _ body: (Span<UInt8>) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        for chunk in PNGChunks(data, from: frame.offset).dropFirst() {
            if chunk.type == .frame || chunk.type == .end { return }
            guard chunk.type == .framePixels, chunk.content.count > 4 else { continue }
            try body(data.span.extracting(chunk.content.dropFirst(4)))
        }
    }

    private static let rowsBetweenCancellations = 64
}

// MARK: - Animations

extension OpenedPNG {
    /// Returns a frame that is drawn on a canvas. Nil for the default image, whose rows are delivered as they are decoded.
    private func drawnFrame(_ index: Int) -> PNGFrame? {
        guard let animation, animation.frames.indices.contains(index) else { return nil }
        let frame = animation.frames[index]
        return index == 0 && frame.isDefaultImage ? nil : frame
    }

    private func byteCount(drawing frame: PNGFrame, _ layout: PixelLayout) -> Int {
        AnimationCanvas(header.storedSize, bytesPerPixel: layout.bytesPerPixel).byteCount(drawing: frame.onCanvas)
            .plus(preamble.resized(to: frame.onCanvas.area).heldByteCount(layout: layout))
    }

    private func drawFrames(
        through index: Int, _ layout: PixelLayout, for sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        guard let frames = animation?.frames else { return }
        if canvas?.layout != layout { canvas = nil }
        // Moved out to avoid a copy of the canvas on write. It is discarded if a frame fails.
        var working = canvas?.pixels ?? AnimationCanvas(header.storedSize, bytesPerPixel: layout.bytesPerPixel)
        canvas = nil
        working.seek(to: index) { frames[$0].onCanvas }
        while working.next <= index {
            let frame = frames[working.next]
            try limits.check(.decodedBytes, byteCount(drawing: frame, layout))
            if try draw(frame, layout, on: &working, for: sink) { continue }
            if working.next == index + 1 { try working.send(to: sink) }
            throw .truncated(.png)
        }
        try working.send(to: sink)
        canvas = (consume working, layout)
    }

    /// Draws the available rows of a frame. Returns whether it has all.
    private func draw(
        _ frame: PNGFrame, _ layout: PixelLayout, on canvas: inout AnimationCanvas, for sink: any PixelRowSink
    ) throws(ImageDecodingError) -> Bool {
        canvas.begin(frame.onCanvas)
        let area = frame.onCanvas.area
        var y = 0
        let isWhole = try decode(preamble.resized(to: area), layout, frame: frame, for: sink) {
            (row) throws(ImageDecodingError) in
            if y.isMultiple(of: Self.rowsBetweenCancellations) { try sink.checkCancellation() }
            canvas.draw(row, in: canvas.range(ofRow: y, in: area), layout, blends: frame.blends)
            y += 1
        }
        canvas.limit(toRows: y)
        return isWhole
    }
}

extension ImageHeader {
    /// Throws `.unsupported` if the image can't be decoded at this size or to this layout.
    func checkStored(_ size: PixelSize, _ layout: PixelLayout) throws(ImageDecodingError) {
        if size != storedSize { throw .unsupported(.png, "\(storedSize) can't be scaled to \(size)") }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.png, "the image can't be decoded to the layout \(layout)")
        }
    }
}

/// A PNG image that is decoded while its bytes arrive.
///
/// Previews show the rows of an image, or the complete passes of an interlaced one, whose pixels fill the blocks of
/// missing ones. The whole image is stored in the layout of the previews.
final class IncrementalPNG: IncrementalImage {
    private let limits: DecodingLimits
    private var parser: PNGParser
    private var preamble: PNGPreamble?
    private var decoder: PNGRowDecoder?
    /// The bytes after the preamble that arrived before `start`.
    private var pendingBytes = Data()
    private var receivedBytes = 0
    private var isFinished = false

    init(limits: DecodingLimits) {
        self.limits = limits
        parser = PNGParser(limits: limits)
    }

    var header: ImageHeader? { preamble?.imageHeader() }

    var extent: PreviewExtent {
        guard let decoder else { return .nothing }
        let shown = shown(of: decoder)
        return PreviewExtent(passes: shown.passes, rows: decoder.availableRows(shown))
    }

    /// Returns the stored size: PNG can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { preamble?.header.size ?? target }

    /// Returns the size of the whole image in bytes.
    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { preamble?.imageBytes(layout) ?? 0 }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        guard let preamble else { preconditionFailure("started before the header was available") }
        precondition(decoder == nil, "started twice")
        try preamble.imageHeader().checkStored(size, layout)
        try limits.check(.decodedBytes, preamble.imageBytes(layout))
        let bytes = pendingBytes
        pendingBytes = Data()
        isFinished = preamble.isAnimation && !preamble.startsAnimation
        if isFinished { return }
        decoder = try PNGRowDecoder(preamble, layout: layout, storesRows: true, limits: limits)
        try read(bytes)
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        if isFinished { return }
        receivedBytes += bytes.count
        try limits.check(.encodedBytes, receivedBytes)
        try read(bytes)
    }

    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
        guard let decoder else { return }
        try decoder.readRows(at: shown(of: decoder)) { (row) throws(ImageDecodingError) in try sink.receive(row) }
    }

    /// Returns the progress for previews. Passes in progress are not shown, except for the first one.
    private func shown(of decoder: PNGRowDecoder) -> PNGRowDecoder.Progress {
        let progress = decoder.progress
        return PNGRowDecoder.Progress(passes: progress.passes, rows: progress.passes == 0 ? progress.rows : 0)
    }

    private func read(_ bytes: Data) throws(ImageDecodingError) {
        if let decoder { try readPixels(bytes, into: decoder) } else { try readPreamble(bytes) }
    }

    private func readPreamble(_ bytes: Data) throws(ImageDecodingError) {
        if preamble != nil { return pendingBytes.append(bytes) }
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: bytes.span, at: &offset) else { return }
        self.preamble = preamble
        pendingBytes = Data(bytes.dropFirst(offset))
    }

    private func readPixels(_ bytes: Data, into decoder: PNGRowDecoder) throws(ImageDecodingError) {
        let bytes = bytes.span
        var offset = 0
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { return isFinished = true }
            try decoder.decode(bytes.extracting(range)) { _ throws(ImageDecodingError) in }
        }
    }
}
