public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The promises of `SizedImageDecoder`.
public enum SizedImageDecoderContract {
    /// Makes decoders, and has valid files for them: small, but at least 8 pixels wide and high.
    public struct Subject: Sendable {
        public var samples: [Data]
        public var makeDecoder: @Sendable (DecodingLimits) -> any SizedImageDecoder

        public init(samples: [Data], makeDecoder: @escaping @Sendable (DecodingLimits) -> any SizedImageDecoder) {
            self.samples = samples
            self.makeDecoder = makeDecoder
        }
    }

    public static let rules: [ContractRule<Subject>] = sizeRules + refusalRules

    private static let sizeRules: [ContractRule<Subject>] = [
        ContractRule("gives the upright image at its own size without a target") { subject in
            for sample in subject.samples {
                let header = try subject.decoder.header(of: sample)
                let image = try subject.decode(sample)
                try expect(image.bitmap.size == header.size, "\(image.bitmap.size), not \(header.size)")
            }
        },
        ContractRule("has the same header whether it decodes or not") { subject in
            for sample in subject.samples {
                let header = try subject.decoder.header(of: sample)
                try expect(try subject.decode(sample).header == header, "another header")
            }
        },
        ContractRule("gives the size that the request promises") { subject in
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
        ContractRule("gives the same image each time, also at the same time") { subject in
            for sample in subject.samples {
                let (decoder, request) = (subject.decoder, DecodingRequest(target: targets[0]))
                let expected = try decoder.decode(sample, request: request, isCancelled: { false })
                try await withThrowingTaskGroup(of: DecodedImage.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try decoder.decode(sample, request: request, isCancelled: { false }) }
                    }
                    for try await image in group { try expect(image == expected, "another image") }
                }
            }
        },
        ContractRule("says that an image is opaque when it is, and only then") { subject in
            for sample in subject.samples {
                let bitmap = try subject.decode(sample).bitmap
                let isOpaque = stride(from: 3, to: bitmap.pixels.count, by: 4).allSatisfy { bitmap.pixels[$0] == 255 }
                try expect(bitmap.isOpaque == isOpaque, "isOpaque is \(bitmap.isOpaque)")
            }
        },
    ]

    private static let refusalRules: [ContractRule<Subject>] = [
        ContractRule("knows no format in bytes that are no image") { subject in
            for data in [Data(), Data([1]), Data(count: 100), Data("<html>".utf8)] {
                let failures = [subject.headerFailure(of: data), subject.failure(of: data)]
                try expect(failures == [.unknownFormat, .unknownFormat], "\(data.count) bytes: \(failures)")
            }
        },
        ContractRule("refuses too many encoded bytes") { subject in
            try subject.expectRefusal(by: .encodedBytes) { data, _ in DecodingLimits(encodedBytes: data.count - 1) }
        },
        ContractRule("refuses too many pixels") { subject in
            try subject.expectRefusal(by: .pixels) { _, size in DecodingLimits(pixels: size.area - 1) }
        },
        ContractRule("refuses too long a side") { subject in
            try subject.expectRefusal(by: .side) { _, size in DecodingLimits(side: max(size.width, size.height) - 1) }
        },
        ContractRule("refuses a result of too many bytes") { subject in
            try subject.expectRefusal(by: .decodedBytes) { _, size in DecodingLimits(decodedBytes: size.area * 4 - 1) }
            let huge = PixelSize(width: .max, height: .max)
            let request = DecodingRequest(target: ImageTarget(huge, mode: .fill, upscales: true))
            for sample in subject.samples {
                let failure = subject.failure(of: sample, request)
                guard case .limitExceeded(.decodedBytes, _, _) = failure else {
                    throw ContractViolation("\(String(describing: failure)) for \(huge)")
                }
            }
        },
        ContractRule("has no frame beyond the last or before the first") { subject in
            for sample in subject.samples {
                let count = try subject.decoder.header(of: sample).frameCount
                for frame in [-1, count, Int.max] {
                    let failure = subject.failure(of: sample, DecodingRequest(frame: frame))
                    try expect(
                        failure == .noSuchFrame(frame, frameCount: count), "\(frame): \(String(describing: failure))")
                }
            }
        },
        ContractRule("stops when it is cancelled, also between rows") { subject in
            for sample in subject.samples {
                for patience in [0, 1, 3] {
                    let asked = Mutex(0)
                    let failure = subject.failure(of: sample) {
                        asked.withLock { asked in
                            asked += 1
                            return asked > patience
                        }
                    }
                    try expect(failure == .cancelled, "\(String(describing: failure)) instead of cancelled")
                    try expect(asked.withLock { $0 } == patience + 1, "went on after it was cancelled")
                }
            }
        },
        ContractRule("says that half a file is truncated") { subject in
            for sample in subject.samples {
                let half = Data(sample.prefix(sample.count / 2))
                let failure = subject.headerFailure(of: half) ?? subject.failure(of: half)
                guard case .truncated = failure else { throw ContractViolation("\(String(describing: failure))") }
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

    fileprivate func headerFailure(of data: Data) -> DecodingFailure? {
        do throws(DecodingFailure) {
            _ = try decoder.header(of: data)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func expectRefusal(
        by limit: DecodingLimit, limits: (Data, PixelSize) -> DecodingLimits
    ) throws {
        for sample in samples {
            let size = try decoder.header(of: sample).size
            let failure = failure(of: sample, limits: limits(sample, size))
            guard case .limitExceeded(limit, _, _) = failure else {
                throw ContractViolation("\(String(describing: failure)) where \(limit) is exceeded")
            }
        }
    }
}
