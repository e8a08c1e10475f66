public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes an image while its bytes come in: previews by the codec's incremental decoder, the final image from all bytes
/// at once, so that it is the same as without previews.
final class DownsamplingSession: DecodingSession {
    private let decoder: DownsamplingDecoder
    private let request: DecodingRequest
    private let throttle: PreviewThrottle
    private var data = Data()
    private var stage = Stage.unrecognised
    private var last: (extent: PreviewExtent, moment: Duration)?

    private enum Stage {
        /// Too few bytes to know the format.
        case unrecognised
        /// The header has not come in.
        case opened(any IncrementalImage)
        /// Previews are decoded at a size with so many rows.
        case started(any IncrementalImage, ImageHeader, rowCount: Int)
        /// No previews: the format has none, the bytes are broken, or the final image is made.
        case finished
    }

    init(_ decoder: DownsamplingDecoder, request: DecodingRequest, throttle: PreviewThrottle) {
        self.decoder = decoder
        self.request = request
        self.throttle = throttle
        // Later frames can't be seen before those that they are drawn over.
        if request.frame != 0 { stage = .finished }
    }

    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage? {
        if isCancelled() { throw .cancelled }
        try decoder.parts.limits.check(.encodedBytes, data.count + bytes.count)
        data.append(bytes)
        do {
            try advance(with: bytes)
            return try preview(at: elapsed, isCancelled: isCancelled)
        } catch .cancelled {
            throw .cancelled
        } catch {
            // Not lost: the final decode meets the same bytes and tells what is wrong with them.
            stage = .finished
            return nil
        }
    }

    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage {
        stage = .finished
        return try decoder.decode(data, request: request, isCancelled: isCancelled)
    }

    /// Hands `bytes` to the incremental decoder; all that have come, when only now it is known which one that is.
    private func advance(with bytes: Data) throws(DecodingFailure) {
        switch stage {
        case .finished: return
        case .unrecognised:
            guard data.count >= DecoderRegistry.prefixByteCount else { return }
            guard let codec = try decoder.registry.decoder(for: data) as? any IncrementalImageDecoder else {
                return stage = .finished
            }
            let image = codec.makeIncrementalImage(limits: decoder.parts.limits)
            stage = .opened(image)
            try image.append(data)
            try start(image)
        case .opened(let image):
            try image.append(bytes)
            try start(image)
        case .started(let image, _, _):
            try image.append(bytes)
        }
    }

    /// Fixes the size of the previews as soon as the header is there.
    private func start(_ image: any IncrementalImage) throws(DecodingFailure) {
        guard let header = image.header else { return }
        let limits = decoder.parts.limits
        try limits.check(header.storedSize)
        let pipeline = try makePipeline(for: image, header)
        let (size, layout) = (pipeline.plan.codecSize, pipeline.layout)
        try pipeline.check(heldByCodec: image.heldBytes(size: size, layout: layout), limits: limits)
        try image.start(size: size, layout: layout)
        stage = .started(image, header, rowCount: size.height)
    }

    private func preview(
        at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage? {
        guard case .started(let image, let header, let rowCount) = stage else { return nil }
        let extent = image.extent
        guard throttle.isDue(extent, of: rowCount, at: elapsed, after: last) else { return nil }
        let pipeline = try makePipeline(for: image, header)
        try pipeline.run(isCancelled: isCancelled) { sink throws(DecodingFailure) in
            try image.decodePreview(into: sink)
        }
        last = (extent, elapsed)
        return DecodedImage(bitmap: try pipeline.finish(), header: header, completeness: .preview)
    }

    private func makePipeline(
        for image: any IncrementalImage, _ header: ImageHeader
    ) throws(DecodingFailure) -> DecodingPipeline {
        try DecodingPipeline(
            header: header, target: request.target, parts: decoder.parts, mayEndEarly: true,
            decodableSize: image.decodableSize(covering:))
    }
}

extension DownsamplingDecoder: PreviewingImageDecoder {
    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession {
        DownsamplingSession(self, request: request, throttle: throttle)
    }
}
