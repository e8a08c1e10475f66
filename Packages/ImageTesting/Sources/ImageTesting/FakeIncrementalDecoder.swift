package import ImageCore
import Synchronization

/// A decoder of `FakeImage` files that also decodes partial files, row by row.
///
/// Previews show frame 0. An image of a single color is complete as soon as the color has arrived.
package final class FakeIncrementalDecoder: IncrementalImageDecoder {
    private let whole = FakeDecoder()
    private let log = Mutex<[Message]>([])

    /// A call of the decoder or of its incremental images.
    package enum Message: Hashable, Sendable {
        /// A call of `makeIncrementalImage`.
        case makeIncrementalImage
        /// A call of `start`.
        case start(PixelSize, PixelLayout)
        /// A call of `append`.
        case append(byteCount: Int)
        /// A call of `decodePreview`, with the extent of the preview.
        case decodePreview(PreviewExtent)
    }

    fileprivate let heldByteCount: Int

    /// Creates a decoder.
    ///
    /// - Parameter heldByteCount: The number of bytes that the images report for their previews.
    package init(heldByteCount: Int = 0) { self.heldByteCount = heldByteCount }

    /// All calls so far, in order.
    package var messages: [Message] { log.withLock { $0 } }

    /// The format of `FakeImage`.
    package var format: ImageFormat { .fake }

    package func recognizes(_ prefix: Data) -> Bool { whole.recognizes(prefix) }

    package func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try whole.open(data, limits: limits)
    }

    package func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
        note(.makeIncrementalImage)
        return FakeIncrementalImage(owner: self, limits: limits)
    }

    fileprivate func note(_ message: Message) { log.withLock { $0.append(message) } }
}

private final class FakeIncrementalImage: IncrementalImage {
    private let owner: FakeIncrementalDecoder
    private let limits: DecodingLimits
    private var data = Data()
    private(set) var header: ImageHeader?
    private var pixelOffset = 0
    private var size: PixelSize?

    init(owner: FakeIncrementalDecoder, limits: DecodingLimits) {
        self.owner = owner
        self.limits = limits
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

    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { owner.heldByteCount }

    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        owner.note(.start(size, layout))
        guard size == header?.storedSize, layout == .rgba8 else {
            throw .unsupported(.fake, "previews only have the stored size and RGBA")
        }
        self.size = size
    }

    func append(_ bytes: Data) throws(ImageDecodingError) {
        owner.note(.append(byteCount: bytes.count))
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
        owner.note(.decodePreview(extent))
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
