public import ImageCore
import Synchronization

/// The contract of `SizedImageDecoder` and `DecodingSession`.
public enum SizedImageDecoderContract {
    /// A function that makes decoders, and valid files for them.
    public struct Subject: Sendable {
        /// Small files of at least 8 by 8 pixels.
        public var samples: [Data]
        /// Small files of at least 8 by 8 pixels that have previews before their end.
        public var previewSamples: [Data]
        /// Makes a decoder with the given limits.
        public var makeDecoder: @Sendable (DecodingLimits) -> any SizedImageDecoder

        /// Creates a subject from valid files and a function that makes decoders.
        public init(
            samples: [Data], previewSamples: [Data] = [],
            makeDecoder: @escaping @Sendable (DecodingLimits) -> any SizedImageDecoder
        ) {
            self.samples = samples
            self.previewSamples = previewSamples
            self.makeDecoder = makeDecoder
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = sizeRules + failureRules + previewRules

    private static let sizeRules: [ContractRule<Subject>] = [
        ContractRule("a request without a target returns the upright image at its own size") { subject in
            for sample in subject.samples {
                let header = try subject.decoder.header(of: sample)
                let image = try subject.decode(sample)
                try expect(image.bitmap.size == header.size, "\(image.bitmap.size), not \(header.size)")
            }
        },
        ContractRule("decoding returns the same header as reading the header alone") { subject in
            for sample in subject.samples {
                let header = try subject.decoder.header(of: sample)
                try expect(try subject.decode(sample).header == header, "the header is different")
            }
        },
        ContractRule("the decoder returns an image of the size that the request specifies") { subject in
            for sample in subject.samples {
                let size = try subject.decoder.header(of: sample).size
                for target in targets {
                    let request = DecodingRequest(target: target)
                    let result = try subject.decode(sample, request).bitmap.size
                    try expect(
                        result == request.outputSize(for: size),
                        "\(result) for \(target.mode) \(target.size) of \(size)")
                }
            }
        },
        ContractRule("the decoder returns the same image each time, even concurrently") { subject in
            for sample in subject.samples {
                let (decoder, request) = (subject.decoder, DecodingRequest(target: targets[0]))
                let expected = try decoder.decode(sample, request: request, isCancelled: { false })
                try await withThrowingTaskGroup(of: DecodedImage.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try decoder.decode(sample, request: request, isCancelled: { false }) }
                    }
                    for try await image in group { try expect(image == expected, "the image is different") }
                }
            }
        },
        ContractRule("an image is marked as opaque if and only if it is") { subject in
            for sample in subject.samples {
                let bitmap = try subject.decode(sample).bitmap
                let isOpaque = stride(from: 3, to: bitmap.pixels.count, by: 4).allSatisfy { bitmap.pixels[$0] == 255 }
                try expect(bitmap.isOpaque == isOpaque, "isOpaque is \(bitmap.isOpaque)")
            }
        },
    ]

    private static let failureRules: [ContractRule<Subject>] = [
        ContractRule("data that is not an image fails as an unknown format") { subject in
            for data in [Data(), Data([1]), Data(count: 100), Data("<html>".utf8)] {
                let failures = [subject.headerFailure(of: data), subject.failure(of: data)]
                try expect(failures == [.unknownFormat, .unknownFormat], "\(data.count) bytes: \(failures)")
            }
        },
        ContractRule("data with too many encoded bytes fails") { subject in
            try subject.expectLimitFailure(by: .encodedBytes) { data, _ in DecodingLimits(encodedBytes: data.count - 1)
            }
        },
        ContractRule("an image with too many pixels fails") { subject in
            try subject.expectLimitFailure(by: .pixels) { _, size in DecodingLimits(pixels: size.area - 1) }
        },
        ContractRule("an image with a side that is too long fails") { subject in
            try subject.expectLimitFailure(by: .side) { _, size in
                DecodingLimits(side: max(size.width, size.height) - 1)
            }
        },
        ContractRule("a result with too many bytes fails") { subject in
            try subject.expectLimitFailure(by: .decodedBytes) { _, size in
                DecodingLimits(decodedBytes: size.area * 4 - 1)
            }
            let huge = PixelSize(width: .max, height: .max)
            let request = DecodingRequest(target: ImageTarget(huge, mode: .fill, upscales: true))
            for sample in subject.samples {
                let failure = subject.failure(of: sample, request)
                guard case .limitExceeded(.decodedBytes, _, _) = failure else {
                    throw ContractViolation("\(String(describing: failure)) for \(huge)")
                }
            }
        },
        ContractRule("decoding a frame that does not exist fails") { subject in
            for sample in subject.samples {
                let count = try subject.decoder.header(of: sample).frameCount
                for frame in [-1, count, Int.max] {
                    let failure = subject.failure(of: sample, DecodingRequest(frame: frame))
                    try expect(
                        failure == .noSuchFrame(frame, frameCount: count), "\(frame): \(String(describing: failure))")
                }
            }
        },
        ContractRule("decoding stops when it is cancelled, even between rows") { subject in
            for sample in subject.samples {
                for allowedChecks in [0, 1, 3] {
                    let checks = Mutex(0)
                    let failure = subject.failure(of: sample) {
                        checks.withLock { checks in
                            checks += 1
                            return checks > allowedChecks
                        }
                    }
                    try expect(failure == .cancelled, "\(String(describing: failure)) instead of cancelled")
                    try expect(checks.withLock { $0 } == allowedChecks + 1, "decoding continues after it was cancelled")
                }
            }
        },
        ContractRule("half of a file fails as truncated") { subject in
            for sample in subject.samples {
                let half = Data(sample.prefix(sample.count / 2))
                let failure = subject.headerFailure(of: half) ?? subject.failure(of: half)
                guard case .truncated = failure else { throw ContractViolation("\(String(describing: failure))") }
            }
        },
    ]

    private static let previewRules: [ContractRule<Subject>] = [
        ContractRule("a session returns previews of the final size, marked as such, before the last byte") { subject in
            for sample in subject.previewSamples {
                for target in [nil, ImageTarget(PixelSize(width: 5, height: 5)), targets[3]] {
                    let request = DecodingRequest(target: target)
                    let size = request.outputSize(for: try subject.decoder.header(of: sample).size)
                    let previews = try subject.previews(of: Data(sample.dropLast()), request)
                    try expect(!previews.isEmpty, "there is no preview")
                    for preview in previews {
                        try expect(preview.completeness == .preview, "a preview is marked as \(preview.completeness)")
                        try expect(preview.bitmap.size == size, "\(preview.bitmap.size), not \(size)")
                    }
                }
            }
        },
        ContractRule("a session returns no preview without new bytes") { subject in
            for sample in subject.previewSamples {
                let previews = try subject.previews(of: sample, repeatingLast: true)
                try expect(previews.isEmpty, "there is a preview without new bytes")
            }
        },
        ContractRule("a session follows the throttle") { subject in
            for sample in subject.previewSamples {
                let throttle = PreviewThrottle(interval: .seconds(1), rowShare: 0)
                let previews = try subject.previews(of: sample, throttle: throttle)
                try expect(previews.count == 1, "\(previews.count) previews at the same time")
            }
        },
        ContractRule("a session returns no preview of invalid bytes, and no error") { subject in
            let garbage = Data("<html>".utf8) + Data(count: 100)
            try expect(subject.sessionFailure(of: garbage) == nil, "there is an error")
            try expect(try subject.previews(of: garbage).isEmpty, "there is a preview")
        },
        ContractRule("a session fails as soon as it receives too many bytes") { subject in
            for sample in subject.previewSamples {
                let failure = subject.sessionFailure(of: sample, limits: DecodingLimits(encodedBytes: sample.count - 1))
                try expect(
                    failure == .limitExceeded(.encodedBytes, value: sample.count, allowed: sample.count - 1),
                    "\(String(describing: failure))")
            }
        },
        ContractRule("a session stops when it is cancelled") { subject in
            for sample in subject.previewSamples {
                let failure = subject.sessionFailure(of: sample) { true }
                try expect(failure == .cancelled, "\(String(describing: failure)) instead of cancelled")
            }
        },
    ]

    private static let targets: [ImageTarget] =
        [(5, 5), (3, 7), (1, 1), (4000, 4000), (9, 1)].flatMap { width, height in
            ImageTarget.Mode.allCases.map { ImageTarget(PixelSize(width: width, height: height), mode: $0) }
        } + [ImageTarget(PixelSize(width: 61, height: 67), upscales: true)]
}

extension SizedImageDecoderContract.Subject {
    fileprivate var decoder: any SizedImageDecoder { makeDecoder(.default) }

    fileprivate func decode(
        _ data: Data, _ request: DecodingRequest = DecodingRequest()
    ) throws(DecodingFailure) -> DecodedImage {
        try decoder.decode(data, request: request, isCancelled: { false })
    }

    fileprivate func failure(
        of data: Data, _ request: DecodingRequest = DecodingRequest(), limits: DecodingLimits = .default,
        isCancelled: @Sendable () -> Bool = { false }
    ) -> DecodingFailure? {
        do throws(DecodingFailure) {
            _ = try makeDecoder(limits).decode(data, request: request, isCancelled: isCancelled)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the previews while `data` arrives in pieces.
    /// - Parameter repeatingLast: Returns the preview for no bytes after all bytes instead.
    fileprivate func previews(
        of data: Data, _ request: DecodingRequest = DecodingRequest(), throttle: PreviewThrottle = .none,
        repeatingLast: Bool = false
    ) throws -> [DecodedImage] {
        let session = decoder.makeSession(request: request, throttle: throttle)
        let pieces = stride(from: 0, to: data.count, by: 20).map { Data(data.dropFirst($0).prefix(20)) }
        let previews = try pieces.compactMap { try session?.append($0, at: .zero, isCancelled: { false }) }
        if !repeatingLast { return previews }
        return try session?.append(Data(), at: .zero, isCancelled: { false }).map { [$0] } ?? []
    }

    fileprivate func sessionFailure(
        of data: Data, limits: DecodingLimits = .default, isCancelled: @Sendable () -> Bool = { false }
    ) -> DecodingFailure? {
        let session = makeDecoder(limits).makeSession(request: DecodingRequest(), throttle: .none)
        do throws(DecodingFailure) {
            _ = try session?.append(data, at: .zero, isCancelled: isCancelled)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func headerFailure(of data: Data) -> DecodingFailure? {
        do throws(DecodingFailure) {
            _ = try decoder.header(of: data)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func expectLimitFailure(
        by limit: DecodingLimit, limits: (Data, PixelSize) -> DecodingLimits
    ) throws {
        for sample in samples {
            let size = try decoder.header(of: sample).size
            let failure = failure(of: sample, limits: limits(sample, size))
            guard case .limitExceeded(limit, _, _) = failure else {
                throw ContractViolation("\(String(describing: failure)) although \(limit) is exceeded")
            }
        }
    }
}
