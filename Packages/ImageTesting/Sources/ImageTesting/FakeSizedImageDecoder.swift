import ImageCore
import Synchronization

/// A decoder for tests of loaders.
///
/// It decodes `FakeImage` files to bitmaps of the requested size in the color of their first pixel, without color
/// conversion. The bitmaps say that they are in the requested color space, which is sRGB if it is automatic. Other bytes
/// fail with `.unknownFormat`.
final class FakeSizedImageDecoder: SizedImageDecoder {
    /// A call of the decoder.
    enum Message: Hashable, Sendable {
        /// A call of `header`.
        case header(byteCount: Int)
        /// A call of `decode`.
        case decode(byteCount: Int, DecodingRequest)
    }

    private let gate: TestGate?
    private let log = Mutex<[Message]>([])

    /// Creates a decoder.
    ///
    /// - Parameter gate: A gate at which each decode blocks its thread. Then, the decode checks whether it is cancelled.
    init(gate: TestGate? = nil) { self.gate = gate }

    /// All calls so far, in order.
    var messages: [Message] { log.withLock { $0 } }

    /// The number of calls of `decode`.
    var decodeCount: Int {
        messages.count { if case .decode = $0 { true } else { false } }
    }

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
        log.withLock { $0.append(.header(byteCount: data.count)) }
        return try file(data).header
    }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        log.withLock { $0.append(.decode(byteCount: data.count, request)) }
        gate?.passBlocking()
        if isCancelled() { throw .cancelled }
        let file = try file(data)
        var color = Array(try file.frame(request.frame).prefix(4))
        if !file.header.hasAlpha { color[3] = 255 }
        let output = request.outputSize(for: file.header.size)
        try DecodingLimits.default.check(
            .decodedBytes, output.area.multipliedReportingOverflow(by: 4).overflow ? .max : output.area * 4)
        let space = if case .space(let space) = request.color { space } else { ColorSpace.sRGB }
        let bitmap = Bitmap(
            size: output, pixels: (0..<output.area).flatMap { _ in color }, isOpaque: color[3] == 255,
            colorSpace: space)
        return DecodedImage(bitmap: bitmap, header: file.header)
    }

    private func file(_ data: Data) throws(ImageDecodingError) -> FakeImageFile {
        guard data.starts(with: FakeImage.signature) else { throw .unknownFormat }
        return try FakeImageFile(data, limits: .default)
    }
}
