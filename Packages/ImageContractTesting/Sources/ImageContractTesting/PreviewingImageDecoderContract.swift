public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The contract of `PreviewingImageDecoder` and `DecodingSession`.
public enum PreviewingImageDecoderContract {
    /// A function that makes decoders, and valid files for them.
    public struct Subject: Sendable {
        /// Small files of at least 8 by 8 pixels that have previews before their end.
        public var samples: [Data]
        /// Makes a decoder with the given limits.
        public var makeDecoder: @Sendable (DecodingLimits) -> any PreviewingImageDecoder

        /// Creates a subject from valid files and a function that makes decoders.
        public init(
            samples: [Data], makeDecoder: @escaping @Sendable (DecodingLimits) -> any PreviewingImageDecoder
        ) {
            self.samples = samples
            self.makeDecoder = makeDecoder
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a finished session returns the same image as decoding all bytes at once") { subject in
            for sample in subject.samples {
                for request in requests {
                    let decoder = subject.makeDecoder(.default)
                    let whole = try decoder.decode(sample, request: request, isCancelled: { false })
                    let session = decoder.makeSession(request: request, throttle: .none)
                    for piece in sample.pieces(of: 50) { _ = try session.append(piece) }
                    try expect(try session.finish(isCancelled: { false }) == whole, "the image is different")
                }
            }
        },
        ContractRule("a session returns previews of the final size, marked as such, before the last byte") { subject in
            for sample in subject.samples {
                for request in requests {
                    let decoder = subject.makeDecoder(.default)
                    let size = request.outputSize(for: try decoder.header(of: sample).size)
                    let session = decoder.makeSession(request: request, throttle: .none)
                    let previews = try sample.dropLast().pieces(of: 20).compactMap { try session.append($0) }
                    try expect(!previews.isEmpty, "there is no preview")
                    for preview in previews {
                        try expect(preview.completeness == .preview, "a preview is marked as \(preview.completeness)")
                        try expect(preview.bitmap.size == size, "\(preview.bitmap.size), not \(size)")
                    }
                }
            }
        },
        ContractRule("a session returns no preview without new bytes") { subject in
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                for piece in sample.pieces(of: 50) { _ = try session.append(piece) }
                try expect(try session.append(Data()) == nil, "there is a preview without new bytes")
            }
        },
        ContractRule("a session follows the throttle") { subject in
            for sample in subject.samples {
                let throttle = PreviewThrottle(interval: .seconds(1), rowShare: 0)
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: throttle)
                let previews = try sample.pieces(of: 10).compactMap { try session.append($0) }
                try expect(previews.count == 1, "\(previews.count) previews at the same time")
            }
        },
        ContractRule("a session reports invalid bytes when it is finished, not before") { subject in
            let garbage = Data("<html>".utf8) + Data(count: 100)
            let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
            for piece in garbage.pieces(of: 10) {
                guard session.returnsNoPreview(for: piece) else {
                    throw ContractViolation("there is a preview or an error after \(piece.count) bytes")
                }
            }
            let failure = session.failure()
            try expect(failure == .unknownFormat, "\(String(describing: failure))")
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                _ = try session.append(Data(sample.prefix(sample.count / 2)))
                guard case .truncated = session.failure() else {
                    throw ContractViolation("half of a file is not truncated")
                }
            }
        },
        ContractRule("a session fails as soon as it receives too many bytes") { subject in
            for sample in subject.samples {
                let limits = DecodingLimits(encodedBytes: sample.count - 1)
                let session = subject.makeDecoder(limits).makeSession(request: DecodingRequest(), throttle: .none)
                do throws(DecodingFailure) {
                    _ = try session.append(sample, at: .zero, isCancelled: { false })
                    throw DecodingFailure.unknownFormat
                } catch {
                    try expect(
                        error == .limitExceeded(.encodedBytes, value: sample.count, allowed: sample.count - 1),
                        "\(error)")
                }
            }
        },
        ContractRule("a session stops when it is cancelled") { subject in
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                do throws(DecodingFailure) {
                    _ = try session.append(sample, at: .zero, isCancelled: { true })
                    throw DecodingFailure.unknownFormat
                } catch {
                    try expect(error == .cancelled, "\(error) instead of cancelled")
                }
                try expect(
                    session.failure(isCancelled: true) == .cancelled, "the session finishes although it is cancelled")
            }
        },
    ]

    private static let requests = [
        DecodingRequest(), DecodingRequest(target: ImageTarget(PixelSize(width: 5, height: 5))),
        DecodingRequest(target: ImageTarget(PixelSize(width: 3, height: 7), mode: .fill)),
    ]
}

extension DecodingSession {
    fileprivate func append(_ bytes: Data) throws(DecodingFailure) -> DecodedImage? {
        try append(bytes, at: .zero, isCancelled: { false })
    }

    /// Appends bytes. Returns true if there is neither a preview nor an error.
    fileprivate func returnsNoPreview(for bytes: Data) -> Bool {
        do throws(DecodingFailure) { return try append(bytes) == nil } catch { return false }
    }

    fileprivate func failure(isCancelled: Bool = false) -> DecodingFailure? {
        do throws(DecodingFailure) {
            _ = try finish(isCancelled: { isCancelled })
            return nil
        } catch {
            return error
        }
    }
}

extension Data {
    fileprivate func pieces(of length: Int) -> [Data] {
        stride(from: 0, to: count, by: length).map { Data(dropFirst($0).prefix(length)) }
    }
}
