import Foundation
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageProcessing
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
        .init(samples: samples, makeDecoder: makeDecoder)
    }

    @Test("the downsampling decoder obeys", arguments: SizedImageDecoderContract.rules)
    func real(_ rule: Rule) async throws {
        try await rule.check(
            Self.subject {
                DownsamplingDecoder(decoders: [FakeDecoder()], resampler: LanczosRowResampler(), limits: $0)
            })
    }

    @Test("the fake obeys", arguments: SizedImageDecoderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(Self.subject { FakeSizedImageDecoder(limits: $0) })
    }

    @Test("each rule bites a decoder that breaks it", arguments: BrokenSizedDecoder.Defect.allCases)
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

/// A fake that breaks one promise, the one that its defect names.
struct BrokenSizedDecoder: SizedImageDecoder {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case staysLyingDown = "gives the upright image at its own size without a target"
        case forgetsHeader = "has the same header whether it decodes or not"
        case ignoresTarget = "gives the size that the request promises"
        case counts = "gives the same image each time, also at the same time"
        case claimsOpacity = "says that an image is opaque when it is, and only then"
        case guessesFormat = "knows no format in bytes that are no image"
        case ignoresEncodedBytes = "refuses too many encoded bytes"
        case ignoresPixels = "refuses too many pixels"
        case ignoresSide = "refuses too long a side"
        case ignoresDecodedBytes = "refuses a result of too many bytes"
        case showsFirstFrame = "has no frame beyond the last or before the first"
        case neverAsks = "stops when it is cancelled, also between rows"
        case callsTruncatedMalformed = "says that half a file is truncated"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let decoder: FakeSizedImageDecoder
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
                    data, request: request, isCancelled: { defect == .neverAsks ? false : isCancelled() }))
        } catch {
            throw changed(error)
        }
    }

    private func changed(_ failure: DecodingFailure) -> DecodingFailure {
        switch (defect, failure) {
        case (.guessesFormat, .unknownFormat): .malformed(.fake, "a guess")
        case (.callsTruncatedMalformed, .truncated): .malformed(.fake, "short")
        default: failure
        }
    }

    private func changed(_ image: DecodedImage) -> DecodedImage {
        var image = image
        var (size, pixels) = (image.bitmap.size, image.bitmap.pixels)
        if defect == .staysLyingDown { size = size.transposed }
        if defect == .counts { pixels[0] = UInt8(truncatingIfNeeded: calls.next()) }
        if defect == .forgetsHeader { image.header.orientation = .upMirrored }
        image.bitmap = Bitmap(size: size, pixels: pixels, isOpaque: image.bitmap.isOpaque || defect == .claimsOpacity)
        return image
    }
}
