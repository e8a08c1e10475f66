import Foundation
import ImageCore
import ImageDecoding
import Testing

@testable import ImageTesting

@Suite("DownsamplingSession")
struct DownsamplingSessionTests {
    private static let size = PixelSize(width: 8, height: 8)
    private static let pixels = (0..<size.area * 4).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: $0 * 3) }
    private static let file = FakeImage(size, frames: [pixels]).encoded
    /// The number of bytes before the first pixel.
    private static let headByteCount = file.count - pixels.count

    @Test("a preview contains the available rows, is transparent elsewhere, and is flagged as a preview")
    func rows() throws {
        let session = session()
        #expect(try append(Self.file.prefix(Self.headByteCount), to: session) == nil)
        let preview = try #require(try append(Self.file.dropFirst(Self.headByteCount).prefix(3 * 32 + 5), to: session))
        #expect(preview.bitmap.pixels == Array(Self.pixels.prefix(3 * 32)) + [UInt8](repeating: 0, count: 5 * 32))
        #expect(preview.completeness == .preview)
        #expect(!preview.bitmap.isOpaque)
    }

    @Test("a preview has the size and orientation of the final image")
    func sized() throws {
        var image = FakeImage(PixelSize(width: 8, height: 4), frames: [Array(Self.pixels.prefix(128))])
        image.orientation = .right
        let request = DecodingRequest(target: ImageTarget(PixelSize(width: 2, height: 4)))
        let session = session(request)
        let preview = try #require(try append(image.encoded.dropLast(64), to: session))
        #expect(preview.bitmap.size == PixelSize(width: 2, height: 4))
        #expect(try append(image.encoded.suffix(64), to: session)?.bitmap.isOpaque == true)
    }

    @Test("passes each byte to the codec once")
    func onceEach() throws {
        let codec = FakeDecoder()
        let session = session(codec: codec)
        for start in stride(from: 0, to: Self.file.count, by: 10) {
            _ = try append(Self.file.dropFirst(start).prefix(10), to: session)
        }
        let appended = codec.messages.map { if case .append(let count) = $0 { count } else { 0 } }.reduce(0, +)
        #expect(appended == Self.file.count)
        #expect(codec.messages.count { $0 == .makeIncrementalImage } == 1)
        #expect(codec.messages.count { $0 == .start(Self.size, .rgba8) } == 1)
    }

    @Test("decodes only the previews that the throttle allows")
    func throttled() throws {
        let codec = FakeDecoder()
        let session = session(codec: codec, throttle: PreviewThrottle(interval: .milliseconds(100), rowShare: 0.25))
        var shown: [Int] = []
        for row in 0..<8 {
            let bytes =
                row == 0
                ? Self.file.prefix(Self.headByteCount + 32)
                : Self.file.dropFirst(Self.headByteCount + row * 32).prefix(32)
            if try append(bytes, to: session, at: .milliseconds(row * 60)) != nil { shown.append(row) }
        }
        // The second row arrives at 60 ms. The next previews are due 100 ms apart.
        #expect(shown == [1, 3, 5, 7])
        #expect(codec.messages.count { if case .decodePreview = $0 { true } else { false } } == 4)
    }

    @Test("makes no previews for formats without previews, unknown formats and later frames")
    func noPreviews() throws {
        #expect(try append(Self.file, to: session(codec: ChangedDecoder())) == nil)
        #expect(try append(Data(count: 100), to: session()) == nil)
        let codec = FakeDecoder()
        let second = session(DecodingRequest(frame: 1), codec: codec)
        #expect(try append(FakeImage(Self.size, frames: [Self.pixels, Self.pixels]).encoded, to: second) == nil)
        #expect(codec.messages.isEmpty)
    }

    @Test(
        "makes no previews of an image above the limits, even if the codec doesn't check them",
        arguments: [DecodingLimits(decodedByteLimit: 255), DecodingLimits(maxSide: 7), DecodingLimits(maxPixels: 63)])
    func tooLarge(_ limits: DecodingLimits) throws {
        let codec = FakeDecoder()
        let session = session(codec: codec, limits: limits)
        #expect(try append(Self.file, to: session) == nil)
        #expect(!codec.messages.contains { if case .start = $0 { true } else { false } })
        let count = codec.messages.count
        #expect(try append(Data([1]), to: session) == nil)
        #expect(codec.messages.count == count)
    }

    @Test("makes no preview without new bytes")
    func noNewBytes() throws {
        let session = session()
        #expect(try append(Self.file, to: session) != nil)
        #expect(try append(Data(), to: session) == nil)
    }

    @Test("throws as soon as there are too many bytes")
    func tooManyBytes() throws {
        let session = session(limits: DecodingLimits(encodedByteLimit: Self.file.count - 1))
        #expect(try append(Self.file.dropLast(), to: session) != nil)
        let failure = ImageDecodingError.limitExceeded(
            .encodedBytes, value: Self.file.count, allowed: Self.file.count - 1)
        #expect(throws: failure) { try append(Self.file.suffix(1), to: session) }
    }

    @Test("makes no previews if the codec needs too much memory for them", arguments: [0, 1])
    func tooMuchHeld(_ held: Int) throws {
        let session = session(
            codec: FakeDecoder(previewByteCount: held),
            limits: DecodingLimits(decodedByteLimit: Self.pixels.count))
        #expect(try (append(Self.file, to: session) == nil) == (held > 0))
    }

    @Test("a cancelled call throws, and the session can continue")
    func cancelled() throws {
        let session = session()
        #expect(throws: ImageDecodingError.cancelled) {
            try session?.append(Self.file, at: .zero, isCancelled: { true })
        }
        let cancellation = Cancellation(after: 1)
        #expect(throws: ImageDecodingError.cancelled) {
            try session?.append(Self.file.dropLast(), at: .zero) { cancellation.isDue() }
        }
        #expect(try append(Self.file.suffix(1), to: session) != nil)
        #expect(throws: ImageDecodingError.cancelled) { try session?.append(Data(), at: .zero, isCancelled: { true }) }
    }

    private func session(
        _ request: DecodingRequest = DecodingRequest(), codec: any ImageDecoder = FakeDecoder(),
        limits: DecodingLimits = .default, throttle: PreviewThrottle = .unlimited
    ) -> (any DecodingSession)? {
        DownsamplingDecoder(decoders: [codec], limits: limits).makeSession(request: request, throttle: throttle)
    }

    private func append(
        _ bytes: Data, to session: (any DecodingSession)?, at elapsed: Duration = .zero
    ) throws -> DecodedImage? {
        try session?.append(bytes, at: elapsed, isCancelled: { false })
    }
}

@Suite("PreviewThrottle")
struct PreviewThrottleTests {
    private static let throttle = PreviewThrottle(interval: .milliseconds(200), rowShare: 0.5)

    @Test("the first preview is due with its share of rows or a second pass")
    func first() {
        #expect(!isDue(passes: 0, rows: 0))
        #expect(!isDue(passes: 0, rows: 49))
        #expect(isDue(passes: 0, rows: 50))
        #expect(isDue(passes: 2, rows: 1))
    }

    @Test("the next preview is due after the interval, with more rows or another pass")
    func next() {
        let last = (PreviewExtent(passes: 1, rows: 20), Duration.milliseconds(1000))
        #expect(!isDue(passes: 1, rows: 90, at: 1199, after: last))
        #expect(isDue(passes: 1, rows: 90, at: 1200, after: last))
        #expect(!isDue(passes: 1, rows: 69, at: 5000, after: last))
        #expect(isDue(passes: 2, rows: 20, at: 1200, after: last))
    }

    @Test("without a throttle, a preview is due with each new row")
    func none() {
        let last = (PreviewExtent(passes: 1, rows: 20), Duration.zero)
        #expect(PreviewThrottle.unlimited.isDue(PreviewExtent(passes: 1, rows: 21), of: 100, at: .zero, after: last))
        #expect(!PreviewThrottle.unlimited.isDue(last.0, of: 100, at: .zero, after: last))
    }

    private func isDue(
        passes: Int, rows: Int, at milliseconds: Int = 0, after last: (PreviewExtent, Duration)? = nil
    ) -> Bool {
        Self.throttle.isDue(
            PreviewExtent(passes: passes, rows: rows), of: 100, at: .milliseconds(milliseconds), after: last)
    }
}
