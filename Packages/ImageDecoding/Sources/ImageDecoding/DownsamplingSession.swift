public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes previews with the incremental decoder of the codec.
final class DownsamplingSession: DecodingSession {
    private let decoder: DownsamplingDecoder
    private let request: DecodingRequest
    private let throttle: PreviewThrottle
    private var byteCount = 0
    private var stage = Stage.unrecognized(Data())
    private var last: (extent: PreviewExtent, moment: Duration)?

    private enum Stage {
        /// There are too few bytes to detect the format.
        case unrecognized(Data)
        /// The header is not complete.
        case opened(any IncrementalImage)
        /// Previews have `rowCount` rows.
        case started(any IncrementalImage, ImageHeader, rowCount: Int)
        /// There are no more previews: the format has none, or the data is malformed.
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
        byteCount += bytes.count
        try decoder.configuration.limits.check(.encodedBytes, byteCount)
        do {
            try advance(with: bytes)
            return try preview(at: elapsed, isCancelled: isCancelled)
        } catch .cancelled {
            throw .cancelled
        } catch {
            // Decoding all bytes throws the error.
            stage = .finished
            return nil
        }
    }

    /// Passes `bytes` to the incremental decoder, or all bytes so far if the format has just been detected.
    private func advance(with bytes: Data) throws(DecodingFailure) {
        switch stage {
        case .finished: return
        case .unrecognized(let first):
            let data = first + bytes
            guard Self.hasSignature(data) else { return stage = .unrecognized(data) }
            guard let codec = try decoder.decoders.decoder(for: data) as? any IncrementalImageDecoder else {
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
    private static func hasSignature(_ data: Data) -> Bool {
        let hasBrands = data.dropFirst(4).starts(with: "ftyp".utf8)
        return data.count >= (hasBrands ? FileSignature.byteCount : 32)
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

extension DownsamplingDecoder {
    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        DownsamplingSession(self, request: request, throttle: throttle)
    }
}
