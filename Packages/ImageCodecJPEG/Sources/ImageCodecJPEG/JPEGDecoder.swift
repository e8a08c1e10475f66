import CImageCodecJPEG
public import ImageCore

/// Decodes JPEG (ITU-T T.81): baseline, extended and progressive, with Huffman or arithmetic coding and 8 bits per
/// channel.
///
/// Supports gray, YCbCr, RGB, CMYK and YCCK. Scales to 1/2, 1/4 and 1/8 while decoding. Rows are delivered as they are
/// decoded. An image with one scan needs memory for a few rows. An image with several scans, such as a progressive one,
/// needs memory for all coefficients, which `DecodingLimits.decodedByteLimit` limits.
///
/// Damaged entropy-coded data decodes to damaged pixels, as in browsers. Data that ends early is `.truncated`, unless
/// only the end marker is missing.
public struct JPEGDecoder: IncrementalImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    public var format: ImageFormat { .jpeg }

    /// Returns whether the data starts with a start-of-image marker and the first byte of another marker.
    public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: [0xFF, 0xD8, 0xFF]) }

    /// Reads the header.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(32)) else { throw .malformed(.jpeg, "the start-of-image marker is missing") }
        return try OpenedJPEG(data, limits: limits)
    }

    /// Creates an image without bytes. Previews show rows, or complete scans if there are several.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalJPEG(limits: limits) }
}

/// A JPEG file whose header has been read. Each decode reads the file again, at any supported size.
final class OpenedJPEG: PartDecodableImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let jpegHeader: JPEGHeader

    init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        let bytes = data.span
        let jpegHeader = try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(ImageDecodingError) in
            try unsafe JPEGReader(bytes).readHeader(limits: limits)
        }
        guard let jpegHeader else { throw .truncated(.jpeg) }
        header = jpegHeader.imageHeader
        self.jpegHeader = jpegHeader
        self.data = data
        self.limits = limits
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        DCTScale.smallest(of: header.storedSize, covering: target).applied(to: header.storedSize)
    }

    /// With `.speed`, a progressive image is decoded at twice the size of others: its first scans contain enough
    /// detail, and without it thumbnails of small files would be visibly blurred.
    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        guard preference == .speed, jpegHeader.isProgressive else { return decodableSize(covering: target) }
        let stored = header.storedSize
        // One percent below twice the size is accepted, because the next larger scale is much slower.
        func doubled(_ side: Int, of whole: Int) -> Int { min(whole, Int((Double(side) * 1.98).rounded(.up))) }
        return decodableSize(
            covering: PixelSize(
                width: doubled(target.width, of: stored.width), height: doubled(target.height, of: stored.height)))
    }

    /// Returns the size of the coefficients of an image with several scans, otherwise 0.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        jpegHeader.heldByteCount(for: size)
    }

    /// The thumbnail in the second directory of the first Exif segment that has one.
    var embeddedThumbnail: Data? { jpegHeader.exif.lazy.compactMap(ExifReader.thumbnail).first }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        try read(to: size, output: size, layout, preference, sink) { reader throws(ImageDecodingError) in
            try reader.readRows(size: size, layout: layout, into: sink)
        }
    }

    /// Decodes the columns and rows of the part. All above it is read, but neither transformed nor converted.
    func decode(part: PixelArea, layout: PixelLayout, into sink: any PixelRowSink) throws(ImageDecodingError) {
        try read(to: header.storedSize, output: part.size, layout, .quality, sink) {
            reader throws(ImageDecodingError) in
            try reader.readRows(of: part, layout: layout, into: sink)
        }
    }

    /// Prepares a reader and calls `readRows` with it, which sends `output`: all of the image at `size`, or a part of it.
    private func read(
        to size: PixelSize, output: PixelSize, _ layout: PixelLayout, _ preference: DecodingPreference,
        _ sink: any PixelRowSink, readRows: (JPEGReader) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        let bytes = data.span
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(ImageDecodingError) in
            let reader = try unsafe JPEGReader(bytes)
            guard let header = try reader.readHeader(limits: limits) else { throw .truncated(.jpeg) }
            let scale = try header.scale(to: size, layout: layout)
            // With one scan, only a few rows are held.
            if header.hasSeveralScans {
                try header.checkMemory(for: size, output: output, layout: layout, limits: limits)
            }
            try reader.start(size: size, layout: layout, scale: scale, preference: preference, limits: limits)
            guard header.hasSeveralScans else { return try readRows(reader) }
            while try reader.readScans(limits: limits) == ILJ_WORKING { try sink.checkCancellation() }
            try reader.readPass { () throws(ImageDecodingError) in try readRows(reader) }
        }
    }
}

/// A scale at which libjpeg has a vectorized inverse DCT: 1, 1/2, 1/4 or 1/8.
struct DCTScale {
    let denominator: Int

    private static let all = [1, 2, 4, 8].map(DCTScale.init)

    /// Returns the scaled size, rounded up.
    func applied(to size: PixelSize) -> PixelSize { size.divided(by: denominator) }

    /// Returns the smallest scale whose size is not below `target`, or scale 1.
    static func smallest(of size: PixelSize, covering target: PixelSize) -> DCTScale {
        let covering = all.last { scale in
            let scaled = scale.applied(to: size)
            return scaled.width >= target.width && scaled.height >= target.height
        }
        return covering ?? all[0]
    }

    /// Returns the largest scale from `size` to `scaled`. Several scales can give the same size of a tiny image.
    static func giving(_ scaled: PixelSize, from size: PixelSize) -> DCTScale? {
        all.first { $0.applied(to: size) == scaled }
    }
}

/// A JPEG image that is decoded while its bytes arrive.
///
/// An image with one scan is decoded row by row, and its rows are stored for previews. With several scans, a scan is
/// decoded once all of its bytes have arrived. Its bytes are stored until then, its coefficients until the end.
final class IncrementalJPEG: IncrementalImage {
    private let limits: DecodingLimits
    private var reader: JPEGReader?
    private var jpegHeader: JPEGHeader?
    private var output: (size: PixelSize, layout: PixelLayout)?
    private var byteCount = 0
    private var isDone = false
    /// The decoded rows of an image with one scan.
    private var rows: [UInt8] = []

    private(set) var extent = PreviewExtent.nothing

    init(limits: DecodingLimits) { self.limits = limits }

    var header: ImageHeader? { jpegHeader?.imageHeader }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        guard let stored = jpegHeader?.size else { return target }
        return DCTScale.smallest(of: stored, covering: target).applied(to: stored)
    }

    /// Returns the size of the coefficients of an image with several scans, or of the rows of another image.
    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int {
        guard let jpegHeader else { return 0 }
        return jpegHeader.hasSeveralScans ? jpegHeader.heldByteCount(for: size) : size.byteCount(layout)
    }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        guard let reader, let jpegHeader else { throw .malformed(.jpeg, "the header is not available yet") }
        let scale = try jpegHeader.scale(to: size, layout: layout)
        try jpegHeader.checkMemory(for: size, output: size, layout: layout, limits: limits)
        try reader.start(size: size, layout: layout, scale: scale, preference: .quality, limits: limits)
        output = (size, layout)
        try advance()
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        if isDone || bytes.isEmpty { return }
        byteCount += bytes.count
        try limits.check(.encodedBytes, byteCount)
        let opened = if let reader { reader } else { try JPEGReader(streamWithin: limits) }
        reader = opened
        try opened.append(bytes, limits: limits)
        if jpegHeader == nil { jpegHeader = try opened.readHeader(limits: limits) }
        try advance()
    }

    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
        guard let reader, let jpegHeader, let output, extent.rows > 0 else { return }
        if jpegHeader.hasSeveralScans {
            return try reader.readPass { () throws(ImageDecodingError) in
                try reader.readRows(size: output.size, layout: output.layout, into: sink)
            }
        }
        let stride = output.size.width * output.layout.bytesPerPixel
        let rows = rows
        for row in 0..<extent.rows {
            try sink.receive(rows.span.extracting(row * stride..<(row + 1) * stride))
        }
    }

    /// Decodes the available bytes.
    private func advance() throws(ImageDecodingError) {
        guard let reader, let jpegHeader, let output else { return }
        if jpegHeader.hasSeveralScans {
            var progress = ILJ_WORKING
            while progress == ILJ_WORKING { progress = try reader.readScans(limits: limits) }
            isDone = progress == ILJ_DONE
            extent.passes = reader.scansRead
            extent.rows = reader.scansRead > 0 ? output.size.height : 0
        } else {
            let stride = output.size.width * output.layout.bytesPerPixel
            try reader.readAvailableRows(stride: stride, to: &rows)
            extent.rows = rows.count / stride
            isDone = extent.rows == output.size.height
            extent.passes = isDone ? 1 : 0
        }
    }
}
