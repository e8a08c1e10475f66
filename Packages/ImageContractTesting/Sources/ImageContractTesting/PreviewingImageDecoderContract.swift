public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The promises of `PreviewingImageDecoder` and `DecodingSession`.
public enum PreviewingImageDecoderContract {
    /// Makes decoders, and has valid files for them: small, at least 8 pixels wide and high, with previews before their end.
    public struct Subject: Sendable {
        public var samples: [Data]
        public var makeDecoder: @Sendable (DecodingLimits) -> any PreviewingImageDecoder

        public init(
            samples: [Data], makeDecoder: @escaping @Sendable (DecodingLimits) -> any PreviewingImageDecoder
        ) {
            self.samples = samples
            self.makeDecoder = makeDecoder
        }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("gives in the end what all bytes at once give") { subject in
            for sample in subject.samples {
                for request in requests {
                    let decoder = subject.makeDecoder(.default)
                    let whole = try decoder.decode(sample, request: request, isCancelled: { false })
                    let session = decoder.makeSession(request: request, throttle: .none)
                    for piece in sample.pieces(of: 50) { _ = try session.append(piece) }
                    try expect(try session.finish(isCancelled: { false }) == whole, "another image")
                }
            }
        },
        ContractRule("shows previews that say so, of the final size, before all has come") { subject in
            for sample in subject.samples {
                for request in requests {
                    let decoder = subject.makeDecoder(.default)
                    let size = request.outputSize(for: try decoder.header(of: sample).size)
                    let session = decoder.makeSession(request: request, throttle: .none)
                    let previews = try sample.dropLast().pieces(of: 20).compactMap { try session.append($0) }
                    try expect(!previews.isEmpty, "no preview")
                    for preview in previews {
                        try expect(preview.completeness == .preview, "a preview that is \(preview.completeness)")
                        try expect(preview.bitmap.size == size, "\(preview.bitmap.size), not \(size)")
                    }
                }
            }
        },
        ContractRule("shows nothing twice") { subject in
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                for piece in sample.pieces(of: 50) { _ = try session.append(piece) }
                try expect(try session.append(Data()) == nil, "a preview of nothing new")
            }
        },
        ContractRule("obeys the throttle") { subject in
            for sample in subject.samples {
                let throttle = PreviewThrottle(interval: .seconds(1), rowShare: 0)
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: throttle)
                let previews = try sample.pieces(of: 10).compactMap { try session.append($0) }
                try expect(previews.count == 1, "\(previews.count) previews at one moment")
            }
        },
        ContractRule("tells in the end what is wrong with the bytes, not before") { subject in
            let garbage = Data("<html>".utf8) + Data(count: 100)
            let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
            for piece in garbage.pieces(of: 10) {
                guard session.isQuiet(about: piece) else {
                    throw ContractViolation("not quiet about \(piece.count) bytes")
                }
            }
            let failure = session.failure()
            try expect(failure == .unknownFormat, "\(String(describing: failure))")
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                _ = try session.append(Data(sample.prefix(sample.count / 2)))
                guard case .truncated = session.failure() else { throw ContractViolation("half is not truncated") }
            }
        },
        ContractRule("refuses too many bytes when they come") { subject in
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
        ContractRule("stops when it is cancelled") { subject in
            for sample in subject.samples {
                let session = subject.makeDecoder(.default).makeSession(request: DecodingRequest(), throttle: .none)
                do throws(DecodingFailure) {
                    _ = try session.append(sample, at: .zero, isCancelled: { true })
                    throw DecodingFailure.unknownFormat
                } catch {
                    try expect(error == .cancelled, "\(error) instead of cancelled")
                }
                try expect(session.failure(isCancelled: true) == .cancelled, "finished although cancelled")
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

    /// True when the bytes lead neither to a preview nor to an error.
    fileprivate func isQuiet(about bytes: Data) -> Bool {
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
