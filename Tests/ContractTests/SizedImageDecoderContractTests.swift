import Foundation
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("The contract of SizedImageDecoder")
struct SizedImageDecoderContractTests {
    typealias Rule = ContractRule<SizedImageDecoderContract.Subject>

    static let samples: [Data] = {
        let size = PixelSize(width: 41, height: 23)
        let pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        return [
            FakeImage(size, frames: [pixels], scales: true),
            FakeImage(size, frames: [pixels], orientation: .right, hasAlpha: true, scales: true),
            FakeImage(
                size, frames: [pixels, [1, 2, 3, 4]], loopCount: 0, orientation: .downMirrored, hasAlpha: true),
            FakeImage(size, frames: [pixels.map { $0 | 1 }], orientation: .left),
        ].map(\.encoded)
    }()

    static func subject(
        _ makeDecoder: @escaping @Sendable (DecodingLimits) -> any SizedImageDecoder
    ) -> SizedImageDecoderContract.Subject {
        .init(
            samples: samples, previewSamples: IncrementalImageDecoderContractTests.samples.map(\.data),
            makeDecoder: makeDecoder)
    }

    @Test("the downsampling decoder passes", arguments: SizedImageDecoderContract.rules)
    func real(_ rule: Rule) async throws {
        try await rule.check(
            Self.subject {
                DownsamplingDecoder(decoders: [FakeIncrementalDecoder()], limits: $0)
            })
    }

    @Test("the fake passes, which makes no previews", arguments: SizedImageDecoderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(.init(samples: Self.samples) { FakeSizedImageDecoder(limits: $0) })
    }

    @Test("each rule fails for a decoder that breaks it", arguments: BrokenSizedDecoder.Defect.allCases)
    func brokenDouble(_ defect: BrokenSizedDecoder.Defect) async throws {
        let rule = try #require(SizedImageDecoderContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(Self.subject { BrokenSizedDecoder(defect, limits: $0) })
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(
            Set(SizedImageDecoderContract.rules.map(\.name))
                == Set(BrokenSizedDecoder.Defect.allCases.map(\.rawValue)))
    }
}

/// A fake that breaks one rule, which is the raw value of its defect.
struct BrokenSizedDecoder: SizedImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case transposes = "a request without a target returns the upright image at its own size"
        case changesHeader = "decoding returns the same header as reading the header alone"
        case ignoresTarget = "the decoder returns an image of the size that the request specifies"
        case isUnstable = "the decoder returns the same image each time, even concurrently"
        case alwaysClaimsOpacity = "an image is marked as opaque if and only if it is"
        case guessesFormat = "data that is not an image fails as an unknown format"
        case ignoresEncodedBytes = "data with too many encoded bytes fails"
        case ignoresPixels = "an image with too many pixels fails"
        case ignoresSide = "an image with a side that is too long fails"
        case ignoresDecodedBytes = "a result with too many bytes fails"
        case showsFirstFrame = "decoding a frame that does not exist fails"
        case ignoresCancellation = "decoding stops when it is cancelled, even between rows"
        case reportsMalformed = "half of a file fails as truncated"
        case hidesPreviews = "a session returns previews of the final size, marked as such, before the last byte"
        case repeatsPreviews = "a session returns no preview without new bytes"
        case ignoresThrottle = "a session follows the throttle"
        case throwsEarly = "a session returns no preview of invalid bytes, and no error"
        case forgetsBytes = "a session fails as soon as it receives too many bytes"
        case continues = "a session stops when it is cancelled"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let decoder: FakeSizedImageDecoder
    private let previewing: DownsamplingDecoder
    private let calls = Counter()

    init(_ defect: Defect, limits: DecodingLimits) {
        self.defect = defect
        var limits = limits
        switch defect {
        case .ignoresEncodedBytes: limits.encodedBytes = .max
        case .ignoresPixels: limits.pixels = .max
        case .ignoresSide: limits.side = .max
        case .ignoresDecodedBytes: limits.decodedBytes = .max
        default: break
        }
        decoder = FakeSizedImageDecoder(limits: limits)
        previewing = DownsamplingDecoder(
            decoders: [FakeIncrementalDecoder()], limits: defect == .forgetsBytes ? .default : limits)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        previewing.makeSession(request: request, throttle: defect == .ignoresThrottle ? .none : throttle)
            .map { BrokenSession($0, defect) }
    }

    func header(of data: Data) throws(DecodingFailure) -> ImageHeader {
        do throws(DecodingFailure) { return try decoder.header(of: data) } catch { throw changed(error) }
    }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        var request = request
        if defect == .ignoresTarget { request.target = nil }
        if defect == .showsFirstFrame { request.frame = 0 }
        do throws(DecodingFailure) {
            return changed(
                try decoder.decode(
                    data, request: request, isCancelled: { defect == .ignoresCancellation ? false : isCancelled() }))
        } catch {
            throw changed(error)
        }
    }

    private func changed(_ failure: DecodingFailure) -> DecodingFailure {
        switch (defect, failure) {
        case (.guessesFormat, .unknownFormat): .malformed(.fake, "a guess")
        case (.reportsMalformed, .truncated): .malformed(.fake, "short")
        default: failure
        }
    }

    private func changed(_ image: DecodedImage) -> DecodedImage {
        var image = image
        var (size, pixels) = (image.bitmap.size, image.bitmap.pixels)
        if defect == .transposes { size = size.transposed }
        if defect == .isUnstable { pixels[0] = UInt8(truncatingIfNeeded: calls.next()) }
        if defect == .changesHeader { image.header.orientation = .upMirrored }
        image.bitmap = Bitmap(
            size: size, pixels: pixels, isOpaque: image.bitmap.isOpaque || defect == .alwaysClaimsOpacity)
        return image
    }
}

private final class BrokenSession: DecodingSession {
    private let session: any DecodingSession
    private let defect: BrokenSizedDecoder.Defect
    private var last: DecodedImage?

    init(_ session: any DecodingSession, _ defect: BrokenSizedDecoder.Defect) {
        self.session = session
        self.defect = defect
    }

    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage? {
        if defect == .throwsEarly, !bytes.starts(with: FakeImage.signature) { throw .unknownFormat }
        let continues = defect == .continues
        let preview = try session.append(bytes, at: elapsed, isCancelled: { !continues && isCancelled() })
        last = preview ?? last
        return defect == .hidesPreviews ? nil : defect == .repeatsPreviews ? last : preview
    }
}
