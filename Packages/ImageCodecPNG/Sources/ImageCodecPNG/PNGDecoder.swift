public import ImageCore

/// Decodes PNG (W3C PNG, ISO/IEC 15948): every color type and depth, interlaced or not.
///
/// Channels of 16 bits are rounded to 8, except for HDR. Rows are delivered as they are decoded. An interlaced image is stored
/// completely first, which `DecodingLimits.decodedByteLimit` limits. If it is truncated, earlier passes fill the missing
/// pixels. An animated PNG is decoded as its default image.
///
/// The header has the ICC profile, or else the colors of cICP, gAMA and cHRM. The pixels are not converted. Damaged
/// critical chunks are `.malformed`, and damaged ancillary chunks are ignored.
public struct PNGDecoder: IncrementalImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    public var format: ImageFormat { .png }

    /// Returns whether the data starts with the eight bytes of the PNG signature.
    public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: PNGChunkStream.signature) }

    /// Reads the chunks before the pixels, and the orientation.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(32)) else { throw .malformed(.png, "the PNG signature is missing") }
        return try OpenedPNG(data, limits: limits)
    }

    /// Creates an image without bytes. Previews show rows, or the passes of an interlaced image. The whole image is
    /// stored.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalPNG(limits: limits) }
}

/// A PNG file whose header has been read. Each decode starts at the pixels.
final class OpenedPNG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let preamble: PNGPreamble
    /// The state of the parser at the start of the pixels, at `offset`.
    private let parser: PNGParser
    private let offset: Int

    init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        var parser = PNGParser(limits: limits)
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: data.span, at: &offset) else {
            throw .truncated(.png)
        }
        var header = preamble.imageHeader
        header.orientation = PNGExif(data).orientation(limit: limits.metadataByteLimit) ?? .up
        self.header = header
        self.data = data
        self.limits = limits
        self.preamble = preamble
        self.parser = parser
        self.offset = offset
    }

    /// Returns the stored size: PNG can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// Returns the size of an interlaced image in bytes, otherwise 0.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        preamble.heldByteCount(layout: layout)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        try header.checkStored(size, layout)
        if preamble.header.isInterlaced { try checkMemory(layout) }
        let decoder = try PNGRowDecoder(
            preamble, layout: layout, storesRows: preamble.header.isInterlaced, limits: limits)
        let isWhole = try decode(decoder, into: sink)
        if preamble.header.isInterlaced { try decoder.sendRows(at: decoder.progress, to: sink) }
        if !isWhole { throw .truncated(.png) }
    }

    /// Checks that an interlaced image and its output together are within the limit.
    private func checkMemory(_ layout: PixelLayout) throws(ImageDecodingError) {
        try limits.check(.decodedBytes, preamble.imageBytes(layout).plus(preamble.imageBytes(.rgba8)))
    }

    /// Decodes the pixels. Returns whether all rows were decoded. The end of the file may be missing.
    private func decode(_ decoder: PNGRowDecoder, into sink: any PixelRowSink) throws(ImageDecodingError) -> Bool {
        var (parser, offset, count) = (parser, offset, 0)
        let bytes = data.span
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { break }
            try decoder.decode(bytes.extracting(range)) { (row) throws(ImageDecodingError) in
                if row.count > 0 { return try sink.receive(row) }
                count += 1
                if count.isMultiple(of: Self.rowsBetweenCancellations) { try sink.checkCancellation() }
            }
        }
        return decoder.hasAllRows
    }

    private static let rowsBetweenCancellations = 64
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

    var header: ImageHeader? { preamble?.imageHeader }

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
        try preamble.imageHeader.checkStored(size, layout)
        try limits.check(.decodedBytes, preamble.imageBytes(layout))
        decoder = try PNGRowDecoder(preamble, layout: layout, storesRows: true, limits: limits)
        let bytes = pendingBytes
        pendingBytes = Data()
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
        try decoder.sendRows(at: shown(of: decoder), to: sink)
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
