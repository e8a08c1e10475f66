import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Decoding while the bytes come in")
struct DownsamplingSessionTests {
    private static let size = PixelSize(width: 8, height: 8)
    private static let pixels = (0..<size.area * 4).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: $0 * 3) }
    private static let file = FakeImage(size, frames: [pixels]).encoded
    /// Bytes before the first pixel.
    private static let headByteCount = file.count - pixels.count

    @Test("rows that have come are shown, those that have not are transparent, and the preview says that it is one")
    func rows() throws {
        let session = session()
        #expect(try append(Self.file.prefix(Self.headByteCount), to: session) == nil)
        let preview = try #require(try append(Self.file.dropFirst(Self.headByteCount).prefix(3 * 32 + 5), to: session))
        #expect(preview.bitmap.pixels == Array(Self.pixels.prefix(3 * 32)) + [UInt8](repeating: 0, count: 5 * 32))
        #expect(preview.completeness == .preview)
        #expect(!preview.bitmap.isOpaque)
    }

    @Test("a preview has the final image's size and is turned like it")
    func sized() throws {
        var image = FakeImage(PixelSize(width: 8, height: 4), frames: [Array(Self.pixels.prefix(128))])
        image.orientation = .right
        let request = DecodingRequest(target: ImageTarget(PixelSize(width: 2, height: 4)))
        let session = session(request)
        let preview = try #require(try append(image.encoded.dropLast(64), to: session))
        #expect(preview.bitmap.size == PixelSize(width: 2, height: 4))
        #expect(try append(image.encoded.suffix(64), to: session)?.bitmap.isOpaque == true)
        #expect(try session.finish(isCancelled: { false }).bitmap.size == preview.bitmap.size)
    }

    @Test("the final image is the one that all bytes at once give", arguments: [1, 7, 1000])
    func final(_ pieceLength: Int) throws {
        let (session, decoder) = (session(), Self.decoder())
        for start in stride(from: 0, to: Self.file.count, by: pieceLength) {
            _ = try append(Self.file.dropFirst(start).prefix(pieceLength), to: session)
        }
        let whole = try decoder.decode(Self.file, request: DecodingRequest(), isCancelled: { false })
        #expect(try session.finish(isCancelled: { false }) == whole)
        #expect(whole.completeness == .complete)
    }

    @Test("the same piece twice is not the same preview twice")
    func unchanged() throws {
        let session = session()
        #expect(try append(Self.file.dropLast(32), to: session) != nil)
        #expect(try append(Data(), to: session) == nil)
    }

    @Test("each byte reaches the codec once")
    func onceEach() throws {
        let codec = FakeIncrementalDecoder()
        let session = session(codec: codec)
        for start in stride(from: 0, to: Self.file.count, by: 10) {
            _ = try append(Self.file.dropFirst(start).prefix(10), to: session)
        }
        let appended = codec.messages.map { if case .append(let count) = $0 { count } else { 0 } }.reduce(0, +)
        #expect(appended == Self.file.count)
        #expect(codec.messages.count { $0 == .makeIncrementalImage } == 1)
        #expect(codec.messages.count { $0 == .start(Self.size, .rgba8) } == 1)
    }

    @Test("previews come no faster than the throttle lets them, and are not decoded for nothing")
    func throttled() throws {
        let codec = FakeIncrementalDecoder()
        let session = session(codec: codec, throttle: PreviewThrottle(interval: .milliseconds(100), rowShare: 0.25))
        var shown: [Int] = []
        for row in 0..<8 {
            let bytes =
                row == 0
                ? Self.file.prefix(Self.headByteCount + 32)
                : Self.file.dropFirst(Self.headByteCount + row * 32).prefix(32)
            if try append(bytes, to: session, at: .milliseconds(row * 60)) != nil { shown.append(row) }
        }
        // Two rows are there with row 1, at 60 ms; the next is due 100 ms later, and again.
        #expect(shown == [1, 3, 5, 7])
        #expect(codec.messages.count { if case .decodePreview = $0 { true } else { false } } == 4)
    }

    @Test("broken bytes end the previews; what is wrong is told at the end")
    func malformed() throws {
        var file = Self.file
        file[Self.headByteCount - 1] = 9
        let session = session()
        for start in stride(from: 0, to: file.count, by: 16) {
            _ = try append(file.dropFirst(start).prefix(16), to: session)
        }
        #expect(throws: DecodingFailure.malformed(.fake, "a frame of kind 9")) {
            try session.finish(isCancelled: { false })
        }
    }

    @Test("a format without previews, bytes that are no image, and a later frame have only the final result")
    func noPreviews() throws {
        let plain = DownsamplingDecoder(decoders: [FakeDecoder()], resampler: FakeRowResampler())
            .makeSession(request: DecodingRequest(), throttle: .none)
        #expect(try append(Self.file, to: plain) == nil)
        #expect(try plain.finish(isCancelled: { false }).bitmap.pixels == Self.pixels)
        let garbage = session()
        #expect(try append(Data(count: 100), to: garbage) == nil)
        #expect(throws: DecodingFailure.unknownFormat) { try garbage.finish(isCancelled: { false }) }
        let codec = FakeIncrementalDecoder()
        let second = session(DecodingRequest(frame: 1), codec: codec)
        #expect(try append(FakeImage(Self.size, frames: [Self.pixels, Self.pixels]).encoded, to: second) == nil)
        #expect(codec.messages.isEmpty)
        #expect(try second.finish(isCancelled: { false }).bitmap.pixels == Self.pixels)
    }

    @Test("a file cut off is truncated, or what there is of it when that was asked for")
    func truncated() throws {
        for accepts in [false, true] {
            let codec = FakeDecoder(decodeFailure: .truncated(.fake))
            let session = DownsamplingDecoder(decoders: [codec], resampler: FakeRowResampler())
                .makeSession(request: DecodingRequest(acceptsTruncated: accepts), throttle: .none)
            _ = try append(Self.file, to: session)
            let result = Result { try session.finish(isCancelled: { false }) }
            if accepts {
                #expect(try result.get().completeness == .truncated)
            } else {
                #expect(throws: DecodingFailure.truncated(.fake)) { try result.get() }
            }
        }
    }

    @Test("too many bytes are refused when they come, not at the end")
    func tooManyBytes() throws {
        let session = session(limits: DecodingLimits(encodedBytes: 50))
        _ = try append(Data(count: 50), to: session)
        #expect(throws: DecodingFailure.limitExceeded(.encodedBytes, value: 51, allowed: 50)) {
            try append(Data(count: 1), to: session)
        }
    }

    @Test("too large an image has no previews and is refused at the end")
    func tooLarge() throws {
        let codec = FakeIncrementalDecoder()
        let session = session(codec: codec, limits: DecodingLimits(decodedBytes: 255))
        #expect(try append(Self.file, to: session) == nil)
        #expect(!codec.messages.contains { if case .start = $0 { true } else { false } })
        #expect(throws: DecodingFailure.limitExceeded(.decodedBytes, value: 256, allowed: 255)) {
            try session.finish(isCancelled: { false })
        }
    }

    @Test("what the codec would hold for previews counts, and costs only them", arguments: [0, 1])
    func tooMuchHeld(_ held: Int) throws {
        let session = session(
            codec: FakeIncrementalDecoder(heldBytes: held), limits: DecodingLimits(decodedBytes: Self.pixels.count))
        #expect(try (append(Self.file, to: session) == nil) == (held > 0))
        #expect(try session.finish(isCancelled: { false }).bitmap.pixels == Self.pixels)
    }

    @Test("a cancelled session says so, and can go on")
    func cancelled() throws {
        let session = session()
        #expect(throws: DecodingFailure.cancelled) {
            try session.append(Self.file, at: .zero, isCancelled: { true })
        }
        #expect(try append(Self.file, to: session) != nil)
        #expect(throws: DecodingFailure.cancelled) { try session.finish(isCancelled: { true }) }
        #expect(try session.finish(isCancelled: { false }).bitmap.pixels == Self.pixels)
    }

    private static func decoder(
        _ codec: any ImageDecoder = FakeIncrementalDecoder(), limits: DecodingLimits = .default
    ) -> DownsamplingDecoder {
        DownsamplingDecoder(decoders: [codec], resampler: FakeRowResampler(), limits: limits)
    }

    private func session(
        _ request: DecodingRequest = DecodingRequest(), codec: any ImageDecoder = FakeIncrementalDecoder(),
        limits: DecodingLimits = .default, throttle: PreviewThrottle = .none
    ) -> any DecodingSession {
        Self.decoder(codec, limits: limits).makeSession(request: request, throttle: throttle)
    }

    private func append(
        _ bytes: Data, to session: any DecodingSession, at elapsed: Duration = .zero
    ) throws -> DecodedImage? {
        try session.append(bytes, at: elapsed, isCancelled: { false })
    }
}

@Suite("The throttle of previews")
struct PreviewThrottleTests {
    private static let throttle = PreviewThrottle(interval: .milliseconds(200), rowShare: 0.5)

    @Test("the first preview waits for its share of rows, or for a second pass")
    func first() {
        #expect(!isDue(passes: 0, rows: 0))
        #expect(!isDue(passes: 0, rows: 49))
        #expect(isDue(passes: 0, rows: 50))
        #expect(isDue(passes: 2, rows: 1))
    }

    @Test("the next waits for the interval, and then for more rows or another pass")
    func next() {
        let last = (PreviewExtent(passes: 1, rows: 20), Duration.milliseconds(1000))
        #expect(!isDue(passes: 1, rows: 90, at: 1199, after: last))
        #expect(isDue(passes: 1, rows: 90, at: 1200, after: last))
        #expect(!isDue(passes: 1, rows: 69, at: 5000, after: last))
        #expect(isDue(passes: 2, rows: 20, at: 1200, after: last))
    }

    @Test("without a throttle everything new is shown")
    func none() {
        let last = (PreviewExtent(passes: 1, rows: 20), Duration.zero)
        #expect(PreviewThrottle.none.isDue(PreviewExtent(passes: 1, rows: 21), of: 100, at: .zero, after: last))
        #expect(!PreviewThrottle.none.isDue(last.0, of: 100, at: .zero, after: last))
    }

    private func isDue(
        passes: Int, rows: Int, at milliseconds: Int = 0, after last: (PreviewExtent, Duration)? = nil
    ) -> Bool {
        Self.throttle.isDue(
            PreviewExtent(passes: passes, rows: rows), of: 100, at: .milliseconds(milliseconds), after: last)
    }
}
