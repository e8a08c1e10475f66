import Foundation
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageProcessing
import ImageTesting
import Testing

@Suite("The contract of PreviewingImageDecoder")
struct PreviewingImageDecoderContractTests {
    typealias Subject = PreviewingImageDecoderContract.Subject

    static let samples = IncrementalImageDecoderContractTests.samples.map(\.data)

    @Test("the downsampling decoder passes", arguments: PreviewingImageDecoderContract.rules)
    func downsampling(_ rule: ContractRule<Subject>) async throws {
        try await rule.check(
            Subject(samples: Self.samples) { limits in
                DownsamplingDecoder(
                    decoders: [FakeIncrementalDecoder()], resampler: LanczosRowResampler(), limits: limits)
            })
    }

    @Test("each rule fails for a decoder that breaks it", arguments: BrokenPreviewingDecoder.Defect.allCases)
    func brokenDouble(_ defect: BrokenPreviewingDecoder.Defect) async throws {
        let rule = try #require(PreviewingImageDecoderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(Subject(samples: Self.samples) { BrokenPreviewingDecoder(defect, limits: $0) })
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(
            Set(PreviewingImageDecoderContract.rules.map(\.name))
                == Set(BrokenPreviewingDecoder.Defect.allCases.map(\.rawValue)))
    }
}

/// A decoder that breaks one rule, which is the raw value of its defect.
struct BrokenPreviewingDecoder: PreviewingImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case endsWithPreview = "a finished session returns the same image as decoding all bytes at once"
        case hidesPreviews = "a session returns previews of the final size, marked as such, before the last byte"
        case repeatsPreviews = "a session returns no preview without new bytes"
        case ignoresThrottle = "a session follows the throttle"
        case throwsEarly = "a session reports invalid bytes when it is finished, not before"
        case ignoresByteLimit = "a session fails as soon as it receives too many bytes"
        case ignoresCancellation = "a session stops when it is cancelled"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let decoder: DownsamplingDecoder

    init(_ defect: Defect, limits: DecodingLimits) {
        self.defect = defect
        decoder = DownsamplingDecoder(
            decoders: [FakeIncrementalDecoder()], resampler: FakeRowResampler(),
            limits: defect == .ignoresByteLimit ? .default : limits)
    }

    func header(of data: Data) throws(DecodingFailure) -> ImageHeader { try decoder.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        try decoder.decode(data, request: request, isCancelled: isCancelled)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession {
        let throttle = defect == .ignoresThrottle ? PreviewThrottle.none : throttle
        return BrokenSession(decoder.makeSession(request: request, throttle: throttle), defect)
    }
}

private final class BrokenSession: DecodingSession {
    private let session: any DecodingSession
    private let defect: BrokenPreviewingDecoder.Defect
    private var last: DecodedImage?

    init(_ session: any DecodingSession, _ defect: BrokenPreviewingDecoder.Defect) {
        self.session = session
        self.defect = defect
    }

    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage? {
        if defect == .throwsEarly, !bytes.starts(with: FakeImage.signature) { throw .unknownFormat }
        let ignoresCancellation = defect == .ignoresCancellation
        let preview = try session.append(bytes, at: elapsed, isCancelled: { !ignoresCancellation && isCancelled() })
        last = preview ?? last
        return defect == .hidesPreviews ? nil : defect == .repeatsPreviews ? last : preview
    }

    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage {
        if defect == .endsWithPreview, let last { return last }
        let ignoresCancellation = defect == .ignoresCancellation
        return try session.finish(isCancelled: { !ignoresCancellation && isCancelled() })
    }
}
