package import ImageCore
import Synchronization

/// A decoder for tests of loaders.
///
/// It decodes `FakeImage` files at the requested size, with nearest-neighbor sampling and without color conversion. The
/// bitmaps say that they are in the requested color space, which is sRGB if it is automatic. Set
/// the results for other bytes with `script`. Bytes without a script fail with `.unknownFormat` and are added to
/// `unexpected`.
package final class FakeSizedImageDecoder: SizedImageDecoder {
    /// A call of the decoder.
    package enum Message: Hashable, Sendable {
        /// A call of `header`.
        case header(byteCount: Int)
        /// A call of `decode`.
        case decode(byteCount: Int, DecodingRequest)
    }

    private struct State {
        var messages: [Message] = []
        var unexpected: [Data] = []
        var script: [Data: Result<DecodedImage, ImageDecodingError>] = [:]
    }

    private let limits: DecodingLimits
    private let gate: TestGate?
    private let state = Mutex(State())

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - limits: The limits of encoded and decoded images.
    ///   - gate: A gate at which each decode blocks its thread. Then, the decode checks whether it is cancelled.
    package init(limits: DecodingLimits = .default, gate: TestGate? = nil) {
        self.limits = limits
        self.gate = gate
    }

    /// All calls so far, in order.
    package var messages: [Message] { state.withLock { $0.messages } }

    /// The bytes that were neither a `FakeImage` file nor scripted.
    package var unexpected: [Data] { state.withLock { $0.unexpected } }

    /// The number of calls of `decode`.
    package var decodeCount: Int {
        messages.count { if case .decode = $0 { true } else { false } }
    }

    /// Sets the result for these bytes, for every request.
    package func script(_ data: Data, _ result: Result<DecodedImage, ImageDecodingError>) {
        state.withLock { $0.script[data] = result }
    }

    package func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
        state.withLock { $0.messages.append(.header(byteCount: data.count)) }
        if let result = state.withLock({ $0.script[data] }) { return try result.get().header }
        return try file(data).header
    }

    package func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        state.withLock { $0.messages.append(.decode(byteCount: data.count, request)) }
        gate?.passBlocking()
        if isCancelled() { throw .cancelled }
        if let result = state.withLock({ $0.script[data] }) { return try result.get() }
        let file = try file(data)
        let pixels = try file.frame(request.frame)
        let output = request.outputSize(for: file.header.size)
        try limits.check(
            .decodedBytes, output.area.multipliedReportingOverflow(by: 4).overflow ? .max : output.area * 4)
        var result: [UInt8] = []
        for y in 0..<output.height {
            if isCancelled() { throw .cancelled }
            for x in 0..<output.width { result += file.nearest(x, y, in: output, pixels: pixels) }
        }
        let space = if case .space(let space) = request.color { space } else { ColorSpace.sRGB }
        let bitmap = Bitmap(
            size: output, pixels: result, isOpaque: !file.header.hasAlpha || isOpaque(result), colorSpace: space)
        return DecodedImage(bitmap: bitmap, header: file.header)
    }

    private func file(_ data: Data) throws(ImageDecodingError) -> FakeImageFile {
        try limits.check(.encodedBytes, data.count)
        guard data.starts(with: FakeImage.signature) else {
            state.withLock { $0.unexpected.append(data) }
            throw .unknownFormat
        }
        return try FakeImageFile(data, limits: limits)
    }

    private func isOpaque(_ pixels: [UInt8]) -> Bool {
        stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
    }
}

extension FakeImageFile {
    /// Returns the pixel of the upright image under the center of pixel (x, y) of an image of size `output`.
    fileprivate func nearest(_ x: Int, _ y: Int, in output: PixelSize, pixels: [UInt8]) -> [UInt8] {
        let upright = header.size
        let (right, down) = (
            (2 * x + 1) * upright.width / (2 * output.width), (2 * y + 1) * upright.height / (2 * output.height)
        )
        let stored = header.orientation.storedPosition(x: right, y: down, of: header.storedSize)
        let start = pixels.count == 4 ? 0 : (stored.y * header.storedSize.width + stored.x) * 4
        return Array(pixels[start..<start + 3]) + [header.hasAlpha ? pixels[start + 3] : 255]
    }
}

extension ImageOrientation {
    /// Returns where the pixel (x, y) of the upright image is stored. Independent of the code under test.
    fileprivate func storedPosition(x: Int, y: Int, of stored: PixelSize) -> (x: Int, y: Int) {
        let (lastX, lastY) = (stored.width - 1, stored.height - 1)
        return switch self {
        case .up: (x, y)
        case .upMirrored: (lastX - x, y)
        case .down: (lastX - x, lastY - y)
        case .downMirrored: (x, lastY - y)
        case .leftMirrored: (y, x)
        case .right: (y, lastY - x)
        case .rightMirrored: (lastX - y, lastY - x)
        case .left: (lastX - y, x)
        }
    }
}
