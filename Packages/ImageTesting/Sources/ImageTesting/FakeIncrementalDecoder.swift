public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoder of `FakeImage` files that also shows them while they come in, row by row.
///
/// Frame 0 of files whose frames hold all pixels; an image of one colour is there as soon as that is.
public final class FakeIncrementalDecoder: IncrementalImageDecoder {
    private let whole = FakeDecoder()
    private let log = Mutex<[Message]>([])

    /// What was asked of the incremental images, in order.
    public enum Message: Hashable, Sendable {
        case makeIncrementalImage
        case start(PixelSize, PixelLayout)
        case append(byteCount: Int)
        case decodePreview(PreviewExtent)
    }

    fileprivate let heldBytes: Int

    /// - Parameter heldBytes: what the images say that they hold for their previews.
    public init(heldBytes: Int = 0) { self.heldBytes = heldBytes }

    public var messages: [Message] { log.withLock { $0 } }

    public var format: ImageFormat { .fake }

    public func recognises(_ prefix: Data) -> Bool { whole.recognises(prefix) }

    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try whole.open(data, limits: limits)
    }

    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
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

    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int { owner.heldBytes }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        owner.note(.start(size, layout))
        guard size == header?.storedSize, layout == .rgba8 else {
            throw .unsupported(.fake, "shown at its own size in RGBA alone")
        }
        self.size = size
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        owner.note(.append(byteCount: bytes.count))
        data.append(bytes)
        guard header == nil else { return }
        do throws(DecodingFailure) {
            let file = try FakeImageFile(data, limits: limits)
            pixelOffset = file.framesStart
            header = file.header
        } catch .truncated {
            return
        }
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        owner.note(.decodePreview(extent))
        guard let size else { throw .malformed(.fake, "not started") }
        for y in 0..<extent.rows { try sink.receive(row(y, width: size.width).span) }
    }

    /// As `FakeDecoder` hands it over: opaque when the header says so.
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
