public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes an image while its bytes arrive.
///
/// Previews are made by the incremental decoder of the codec. The final image is decoded from all bytes at once, so that
/// it equals an image without previews.
final class DownsamplingSession: DecodingSession {
    private let decoder: DownsamplingDecoder
    private let request: DecodingRequest
    private let throttle: PreviewThrottle
    private var data = Data()
    private var stage = Stage.unrecognized
    private var last: (extent: PreviewExtent, moment: Duration)?

    private enum Stage {
        /// There are too few bytes to detect the format.
        case unrecognized
        /// The header is not complete.
        case opened(any IncrementalImage)
        /// Previews have `rowCount` rows.
        case started(any IncrementalImage, ImageHeader, rowCount: Int)
        /// There are no more previews: the format has none, the data is malformed, or the final image is being decoded.
        case finished
    }

    init(_ decoder: DownsamplingDecoder, request: DecodingRequest, throttle: PreviewThrottle) {
        self.decoder = decoder
        self.request = request
        self.throttle = throttle
        // A later frame can't be shown before the frames that it is composited on.
        if request.frame != 0 { stage = .finished }
    }

    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage? {
        if isCancelled() { throw .cancelled }
        try decoder.configuration.limits.check(.encodedBytes, data.count + bytes.count)
        data.append(bytes)
        do {
            try advance(with: bytes)
            return try preview(at: elapsed, isCancelled: isCancelled)
        } catch .cancelled {
            throw .cancelled
        } catch {
            // `finish` decodes the same bytes and throws the error.
            stage = .finished
            return nil
        }
    }

    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage {
        stage = .finished
        return try decoder.decode(data, request: request, isCancelled: isCancelled)
    }

    /// Passes `bytes` to the incremental decoder, or all bytes so far if the format has just been detected.
    private func advance(with bytes: Data) throws(DecodingFailure) {
        switch stage {
        case .finished: return
        case .unrecognized:
            guard hasSignature else { return }
            guard let codec = try decoder.registry.decoder(for: data) as? any IncrementalImageDecoder else {
                return stage = .finished
            }
            let image = codec.makeIncrementalImage(limits: decoder.configuration.limits)
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

    /// Whether there are enough bytes to detect the format. Only the brands of HEIF and AVIF can need more than 32.
    private var hasSignature: Bool {
        let hasBrands = data.dropFirst(4).starts(with: "ftyp".utf8)
        return data.count >= (hasBrands ? DecoderRegistry.prefixByteCount : 32)
    }

    /// Sets the size of the previews as soon as the header is complete.
    private func start(_ image: any IncrementalImage) throws(DecodingFailure) {
        guard let header = image.header else { return }
        let limits = decoder.configuration.limits
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
            header: header, target: request.target, configuration: decoder.configuration, mayEndEarly: true,
            decodableSize: image.decodableSize(covering:))
    }
}

extension DownsamplingDecoder: PreviewingImageDecoder {
    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession {
        DownsamplingSession(self, request: request, throttle: throttle)
    }
}
