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

    @Test("the downsampling decoder obeys", arguments: PreviewingImageDecoderContract.rules)
    func downsampling(_ rule: ContractRule<Subject>) async throws {
        try await rule.check(
            Subject(samples: Self.samples) { limits in
                DownsamplingDecoder(
                    decoders: [FakeIncrementalDecoder()], resampler: LanczosRowResampler(), limits: limits)
            })
    }

    @Test("each rule bites a decoder that breaks it", arguments: BrokenPreviewingDecoder.Defect.allCases)
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

/// A decoder that breaks one promise, the one that its defect names.
struct BrokenPreviewingDecoder: PreviewingImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case endsWithPreview = "gives in the end what all bytes at once give"
        case hidesPreviews = "shows previews that say so, of the final size, before all has come"
        case repeats = "shows nothing twice"
        case hurries = "obeys the throttle"
        case throwsEarly = "tells in the end what is wrong with the bytes, not before"
        case ignoresByteLimit = "refuses too many bytes when they come"
        case ignoresCancellation = "stops when it is cancelled"

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
        let throttle = defect == .hurries ? PreviewThrottle.none : throttle
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
        let isPatient = defect == .ignoresCancellation
        let preview = try session.append(bytes, at: elapsed, isCancelled: { !isPatient && isCancelled() })
        last = preview ?? last
        return defect == .hidesPreviews ? nil : defect == .repeats ? last : preview
    }

    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage {
        if defect == .endsWithPreview, let last { return last }
        let isPatient = defect == .ignoresCancellation
        return try session.finish(isCancelled: { !isPatient && isCancelled() })
    }
}
