import ImageCore

/// A `FakeImage` file that is decoded row by row while its bytes arrive.
///
/// Previews show frame 0. An image of a single color is complete as soon as the color has arrived.
final class FakeIncrementalImage: IncrementalImage {
    private let limits: DecodingLimits
    private let heldByteCount: Int
    private let note: (FakeDecoder.Message) -> Void
    private var data = Data()
    private(set) var header: ImageHeader?
    private var pixelOffset = 0
    private var size: PixelSize?

    init(limits: DecodingLimits, heldByteCount: Int, note: @escaping (FakeDecoder.Message) -> Void) {
        self.limits = limits
        self.heldByteCount = heldByteCount
        self.note = note
    }

    var extent: PreviewExtent {
        guard let size, data.count > pixelOffset else { return .nothing }
        if data[pixelOffset] == 0 {
            return PreviewExtent(passes: 1, rows: data.count >= pixelOffset + 5 ? size.height : 0)
        }
        let rows = min(size.height, (data.count - pixelOffset - 1) / (size.width * 4))
        return PreviewExtent(passes: rows == size.height ? 1 : 0, rows: rows)
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { header?.storedSize ?? target }

    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { heldByteCount }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        note(.start(size, layout))
        guard size == header?.storedSize, layout == .rgba8 else {
            throw .unsupported(.fake, "previews only have the stored size and RGBA")
        }
        self.size = size
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        note(.append(byteCount: bytes.count))
        data.append(bytes)
        guard header == nil else { return }
        do throws(ImageDecodingError) {
            let file = try FakeImageFile(data, limits: limits)
            pixelOffset = file.framesStart
            header = file.header
        } catch .truncated {
            return
        }
    }

    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
        note(.decodePreview(extent))
        guard let size else { throw .malformed(.fake, "not started") }
        for y in 0..<extent.rows { try sink.receive(row(y, width: size.width).span) }
    }

    /// Returns the same row as `FakeDecoder`: opaque if the header says that there is no alpha.
    private func row(_ y: Int, width: Int) -> [UInt8] {
        let (start, length) = (pixelOffset + 1, width * 4)
        var row =
            data[pixelOffset] == 0
            ? [UInt8](repeatElement(Array(data[start..<start + 4]), count: width).joined())
            : [UInt8](data[start + y * length..<start + (y + 1) * length])
        if header?.hasAlpha == false { for x in 0..<width { row[x * 4 + 3] = 255 } }
        return row
    }
}
