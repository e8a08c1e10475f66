import ImageCore
import Synchronization

/// A decoder of `FakeImage` files, also while they arrive, that logs its calls. Can fail and wait at a gate.
final class FakeDecoder: IncrementalImageDecoder {
    /// A call of the decoder or of its images.
    enum Message: Hashable, Sendable {
        /// A call of `open`.
        case open(byteCount: Int)
        /// A decode of an opened image.
        case decode(frame: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference = .quality)
        /// A call of `makeIncrementalImage`.
        case makeIncrementalImage
        /// A call of `start`.
        case start(PixelSize, PixelLayout)
        /// A call of `append`.
        case append(byteCount: Int)
        /// A call of `decodePreview`, with the extent of the preview.
        case decodePreview(PreviewExtent)
    }

    /// The format that the decoder reports.
    let format: ImageFormat
    private let openFailure: ImageDecodingError?
    private let decodeFailure: ImageDecodingError?
    private let gate: TestGate?
    private let previewByteCount: Int
    private let log = Mutex<[Message]>([])

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - format: The format that the decoder reports. The files are always `FakeImage` files.
    ///   - openFailure: The error that each `open` throws.
    ///   - decodeFailure: The error that each decode throws after half of the rows.
    ///   - gate: A gate at which each decode blocks its thread before the first row.
    ///   - previewByteCount: The number of bytes that incremental images report for their previews.
    init(
        format: ImageFormat = .fake, openFailure: ImageDecodingError? = nil, decodeFailure: ImageDecodingError? = nil,
        gate: TestGate? = nil, previewByteCount: Int = 0
    ) {
        self.format = format
        self.openFailure = openFailure
        self.decodeFailure = decodeFailure
        self.gate = gate
        self.previewByteCount = previewByteCount
    }

    /// All calls so far, in order.
    var messages: [Message] { log.withLock { $0 } }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: FakeImage.signature) }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        note(.open(byteCount: data.count))
        if let openFailure { throw openFailure }
        return FakeOpenedImage(try FakeImageFile(data, limits: limits), owner: self)
    }

    func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
        note(.makeIncrementalImage)
        return FakeIncrementalImage(limits: limits, heldByteCount: previewByteCount) { [self] in note($0) }
    }

    private func note(_ message: Message) { log.withLock { $0.append(message) } }

    fileprivate func willDecode(_ message: Message) -> ImageDecodingError? {
        note(message)
        gate?.passBlocking()
        return decodeFailure
    }
}

private final class FakeOpenedImage: OpenedImage {
    private let file: FakeImageFile
    private let owner: FakeDecoder

    init(_ file: FakeImageFile, owner: FakeDecoder) {
        self.file = file
        self.owner = owner
    }

    var header: ImageHeader { file.header }

    private var decodableSizes: [(divisor: Int, size: PixelSize)] {
        (file.scales ? [8, 4, 2, 1] : [1]).map { divisor in
            let stored = header.storedSize
            return (
                divisor,
                PixelSize(
                    width: (stored.width + divisor - 1) / divisor, height: (stored.height + divisor - 1) / divisor)
            )
        }
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        decodableSizes.first { $0.size.width >= target.width && $0.size.height >= target.height }?.size
            ?? header.storedSize
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        let failure = owner.willDecode(.decode(frame: index, size: size, layout: layout, preference: preference))
        guard let divisor = decodableSizes.last(where: { $0.size == size })?.divisor else {
            throw .unsupported(.fake, "the size \(size) was not returned by decodableSize(covering:)")
        }
        guard layout == .rgba8 || layout == header.nativeLayout else {
            throw .unsupported(.fake, "the layout is neither RGBA nor the native one")
        }
        let pixels = try file.frame(index)
        for y in 0..<size.height {
            if let failure, y >= size.height / 2 { throw failure }
            let row = row(y, of: pixels, width: size.width, divisor: divisor, layout: layout)
            try sink.receive(row.span)
        }
    }

    private func row(_ y: Int, of pixels: [UInt8], width: Int, divisor: Int, layout: PixelLayout) -> [UInt8] {
        var row: [UInt8] = []
        row.reserveCapacity(width * layout.bytesPerPixel)
        for x in 0..<width {
            let start = pixels.count == 4 ? 0 : (y * divisor * header.storedSize.width + x * divisor) * 4
            let alpha = header.hasAlpha ? pixels[start + 3] : 255
            switch layout {
            case .rgba8: row += [pixels[start], pixels[start + 1], pixels[start + 2], alpha]
            case .gray8: row.append(pixels[start])
            case .grayAlpha8: row += [pixels[start], alpha]
            case .cmyk8: row += [255 - pixels[start], 255 - pixels[start + 1], 255 - pixels[start + 2], 0]
            case .rgba16: row += (pixels[start..<start + 3] + [alpha]).flatMap { [$0, $0] }
            }
        }
        return row
    }
}
