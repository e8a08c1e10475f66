import Foundation
import ImageCore

/// Decodes large images, and draws all SVG files, in a process of its own, because the codec can't be interrupted.
struct ProcessDecoder: ImageDecoder {
    /// The formats whose codecs can't be interrupted.
    static let formats: Set<ImageFormat> = [.avif, .heic, .jpegXL, .svg]
    /// The largest area of an animation, in pixels, whose frames are decoded in this process: each for at most 0.4
    /// seconds. Of a larger one, only the first frame can be decoded.
    static let animationArea = 1 << 23

    let base: any ImageDecoder
    /// The largest area of a still image, in pixels, that is decoded in this process: for at most 0.4 seconds. The area
    /// of a drawing says nothing about its time.
    private let smallArea: Int
    private let animationArea: Int
    /// What libjxl needs for a progressive lossy image with transparency.
    private static let bytesPerPixel = 52

    init(base: any ImageDecoder, smallArea: Int = 1 << 19, animationArea: Int = Self.animationArea) {
        self.base = base
        self.smallArea = base.format == .svg ? 0 : smallArea
        self.animationArea = animationArea
    }

    var format: ImageFormat { base.format }

    func recognizes(_ prefix: Data) -> Bool { base.recognizes(prefix) }

    func using(_ pool: PixelBufferPool) -> ProcessDecoder {
        ProcessDecoder(base: base.using(pool), smallArea: smallArea, animationArea: animationArea)
    }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        let image = try base.open(data, limits: limits)
        let largest = image.header.frameCount > 1 ? animationArea : smallArea
        if image.header.storedSize.area <= largest { return image }
        return ProcessImage(image, data, decodedBytes: limits.maxPixels * Self.bytesPerPixel)
    }
}

private final class ProcessImage: OpenedImage {
    private let base: any OpenedImage
    private let data: Data
    private let decodedBytes: Int

    init(_ base: any OpenedImage, _ data: Data, decodedBytes: Int) {
        self.base = base
        self.data = data
        self.decodedBytes = decodedBytes
    }

    var header: ImageHeader { base.header }

    func decodableSize(covering target: PixelSize) -> PixelSize { base.decodableSize(covering: target) }

    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        base.decodableSize(covering: target, preference: preference)
    }

    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        size.area * layout.bytesPerPixel
    }

    var embeddedThumbnail: Data? { base.embeddedThumbnail }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
        let job = DecodingJob(
            format: header.format.rawValue, width: size.width, height: size.height,
            isNative: layout == header.nativeLayout, prefersSpeed: preference == .speed, decodedBytes: decodedBytes)
        let byteCount = size.area * layout.bytesPerPixel
        let reply = try reply(to: job, limit: byteCount) { try sink.checkCancellation() }
        switch reply.outcome {
        case .complete where reply.body.count < byteCount:
            throw .unsupported(header.format, "the process left rows out")
        case .complete: try send(reply.body, size, layout, to: sink)
        case .truncated:
            try send(reply.body, size, layout, to: sink)
            throw .truncated(header.format)
        case .malformed: throw .malformed(header.format, reply.text)
        case .unsupported: throw .unsupported(header.format, reply.text)
        }
    }

    private func reply(
        to job: DecodingJob, limit: Int, checkpoint: () throws -> Void
    ) throws(ImageDecodingError) -> CodecReply {
        do {
            return try CodecJob.decode(job).start(Array(data), limit: limit, checkpoint: checkpoint)
        } catch let failure as ImageDecodingError {
            throw failure
        } catch {
            throw .unsupported(header.format, "\(error)")
        }
    }

    private func send(
        _ bytes: [UInt8], _ size: PixelSize, _ layout: PixelLayout, to sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        let bytesPerRow = size.width * layout.bytesPerPixel
        for y in 0..<min(size.height, bytes.count / bytesPerRow) {
            try sink.receive(bytes.span.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow))
        }
    }
}
