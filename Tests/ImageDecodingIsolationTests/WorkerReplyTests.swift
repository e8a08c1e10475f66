import Foundation
import ImageCore
import ImageTesting
import Testing

@_spi(Fuzzing) @testable import ImageDecodingIsolation

/// What the parent reads of an answer, whatever its bytes are.
@Suite("Answers of workers")
struct WorkerReplyTests {
    private static let setup = WorkerSetup(
        formats: [.png, .gif], limits: DecodingLimits(maxPixels: 10_000, maxSide: 500, maxFrames: 20),
        memoryByteLimit: 1)

    private static let header: ImageHeader = {
        var header = ImageHeader(
            format: .gif, storedSize: PixelSize(width: 30, height: 20), orientation: .left, frameCount: 2,
            frameDelays: [.milliseconds(40), .nanoseconds(7)], loopCount: 3, hasAlpha: true,
            color: SourceColor(profile: Data("a profile".utf8)), nativeLayout: .grayAlpha8, hasGainMap: true)
        header.color.transfer = .pq
        header.color.peakLuminance = 1_000.5
        return header
    }()

    static let replies: [WorkerReply] = [
        .ready(protection: 15), .header(HeaderReply(header)), .nothing,
        .image(PixelSize(width: 3, height: 4), .displayP3, .truncated), .failure(.unknownFormat),
        .failure(.malformed(.png, "no end")), .failure(.truncated(.gif)), .failure(.unsupported(.png, "rows")),
        .failure(.limitExceeded(.frames, value: 21, allowed: 20)), .failure(.noSuchFrame(3, frameCount: 2)),
        .failure(.cancelled), .encoded(70_000),
    ]

    @Test("an answer is read as it was written", arguments: replies)
    func reads(reply: WorkerReply) throws {
        let read = try WorkerReply(reply.bytes(number: 7), number: 7, setup: Self.setup)
        #expect(read.bytes(number: 7) == reply.bytes(number: 7))
        guard case .header(let header) = read else { return }
        let metadata = HeaderReply.metadata(of: Self.header)
        #expect(header.metadataByteCount == metadata.count)
        #expect(try header.header(metadata: metadata) == Self.header)
    }

    @Test("requests and setups are read as they were written")
    func readsRequest() throws {
        let limits = DecodingLimits(
            encodedByteLimit: 1, maxPixels: 2, maxSide: 3, maxFrames: 4, metadataByteLimit: 5, decodedByteLimit: 6,
            maxScans: 7)
        let setup = WorkerSetup(formats: [.png, .gif], limits: limits, memoryByteLimit: 8)
        #expect(WorkerSetup(setup.bytes) == setup && setup.limits == limits)
        var decoding = DecodingRequest(color: .automatic, frame: 4, acceptsTruncated: true)
        for target in [
            nil, ImageTarget(PixelSize(width: 3, height: .max), mode: .fill, upscales: true),
            ImageTarget(PixelSize(width: 3, height: 1), preference: .speed),
            ImageTarget(PixelSize(width: 3, height: 1), usesLinearLight: true),
            ImageTarget(PixelSize(width: 3, height: 1), part: PixelArea(left: -1, top: 2, width: 0, height: 4)),
        ] {
            decoding.target = target
            let job = EncodingJob(
                encoder: "avif 8", size: PixelSize(width: 5, height: 6), colorSpace: .displayP3, isOpaque: true,
                options: EncodingOptions(
                    quality: 0.3, isLossless: decoding.target == nil, isProgressive: decoding.target != nil),
                delay: .milliseconds(-1_500), loopCount: decoding.target == nil ? nil : 7)
            let request = WorkerRequest(.frame, byteCount: 9, decoding: decoding, encoding: job)
            let read = try #require(WorkerRequest(request.bytes(number: 5)))
            #expect(read.decoding == decoding && read.kind == .frame && read.number == 5 && read.byteCount == 9)
            #expect(read.encoding == job)
        }
    }

    @Test("any other bytes are refused, or say nothing that exceeds the limits", arguments: replies)
    func refusesOtherBytes(reply: WorkerReply) {
        var random = SeededRandom(seed: 63)
        for _ in 0..<4_000 {
            var bytes = reply.bytes(number: 1)
            for _ in 0...random.next() % 3 {
                let word = Int(random.next() % 52) * 8
                for offset in 0..<8 where random.next() % 2 == 0 {
                    bytes[word + offset] =
                        [0, 1, 2, 255, UInt8(truncatingIfNeeded: random.next())][Int(random.next() % 5)]
                }
            }
            bytes += (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(WorkerReplyFuzzing.wrongHeader(in: Data(bytes)) == nil)
        }
    }

    @Test("a header beyond a limit is refused")
    func refusesHeaderBeyondLimit() {
        let size = PixelSize(width: 20, height: 500)
        let profile = SourceColor(profile: Data(count: Self.setup.limits.metadataByteLimit + 1))
        let headers = [
            ImageHeader(format: .png, storedSize: PixelSize(width: 21, height: 500)),
            ImageHeader(format: .png, storedSize: PixelSize(width: 1, height: 501)),
            ImageHeader(format: .png, storedSize: PixelSize(width: 0, height: 1)),
            ImageHeader(format: .jpeg, storedSize: size), ImageHeader(format: .png, storedSize: size, frameCount: 21),
            ImageHeader(format: .png, storedSize: size, frameCount: 3, frameDelays: [.zero]),
            ImageHeader(format: .png, storedSize: size, color: profile),
        ]
        var (negative, dark) = (
            ImageHeader(format: .png, storedSize: size), ImageHeader(format: .png, storedSize: size)
        )
        negative.loopCount = -1
        dark.color.peakLuminance = .nan
        func read(_ header: ImageHeader) -> Result<WorkerReply, ImageDecodingError> {
            let bytes = WorkerReply.header(HeaderReply(header)).bytes(number: 1)
            return outcome { try WorkerReply(bytes, number: 1, setup: Self.setup) }
        }
        for header in headers + [negative, dark] { #expect(throws: ImageDecodingError.self) { try read(header).get() } }
        #expect(throws: Never.self) { try read(ImageHeader(format: .png, storedSize: size)).get() }
    }

    @Test("a text has no control characters")
    func cleansText() throws {
        let reply = WorkerReply.failure(.malformed(ImageFormat(rawValue: "p\u{1B}ng"), "a\u{1B}[2J\nb"))
        let read = try WorkerReply(reply.bytes(number: 1), number: 1, setup: Self.setup)
        #expect(read == .failure(.malformed(.png, "a[2Jb")))
    }
}
