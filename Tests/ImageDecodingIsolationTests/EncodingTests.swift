import Foundation
import GeneratedImages
import ImageCodecPNG
import ImageCore
import ImageDecodingIsolation
import ImageTesting
import Testing

/// An encoder that encodes nothing.
private struct OpaqueEncoder: ImageEncoder {
    let format = ImageFormat.jpeg
    let keepsAlpha = false

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data { Data() }
}

/// What a worker encodes is what this process encodes, and a worker that fails is a failure of its image.
@Suite("Encoding in workers")
struct EncodingTests {
    private static let bitmap = Bitmap(
        size: PixelSize(width: 30, height: 20), pixels: (0..<2_400).map { UInt8(truncatingIfNeeded: $0 * $0) })

    private static func encode(
        _ name: String, _ fixture: IsolatedFixture = IsolatedFixture { $0.timeLimit = .seconds(3) }
    ) throws -> Data {
        try fixture.decoders.encoder(like: PNGEncoder(), named: name).encode(bitmap, options: EncodingOptions())
    }

    @Test("a file is the same as without a worker", arguments: [true, false], ColorSpace.allCases)
    func sameFile(isOpaque: Bool, space: ColorSpace) throws {
        let bitmap = Bitmap(
            size: Self.bitmap.size, pixels: Self.bitmap.pixels, isOpaque: isOpaque, colorSpace: space)
        let fixture = IsolatedFixture()
        let encoder = fixture.decoders.encoder(like: PNGEncoder(), named: "png")
        let options = EncodingOptions(quality: 0.4, isLossless: true, isProgressive: true)
        let expected = try PNGEncoder().encode(bitmap, options: options)
        #expect(try encoder.encode(bitmap, options: options) == expected)
        #expect(encoder.format == .png && encoder.keepsAlpha)
        #expect(try Self.encode("one byte") == Data([7]))
        #expect(!fixture.decoders.encoder(like: OpaqueEncoder(), named: "png").keepsAlpha)
    }

    @Test("an animation is the same as without a worker", arguments: [-1, 0, 1, 7])
    func sameAnimation(loopCount: Int) throws {
        let delays: [Duration] = [.milliseconds(10), .milliseconds(70), .seconds(65), .zero]
        let frames = delays.enumerated().map { index, delay in
            AnimationFrame(
                bitmap: Bitmap(
                    size: Self.bitmap.size, pixels: Self.bitmap.pixels.map { $0 &+ UInt8(index) },
                    isOpaque: index == 1, colorSpace: index == 2 ? .displayP3 : .sRGB), delay: delay)
        }
        let fixture = IsolatedFixture()
        let encoder = fixture.decoders.encoder(like: PNGEncoder(), named: "png")
        // The second time, the worker has no frame left of the first.
        for count in [4, 3] {
            let file = try encoder.encode(Array(frames.prefix(count)), loopCount: loopCount, options: EncodingOptions())
            let expected = try PNGEncoder().encode(
                Array(frames.prefix(count)), loopCount: loopCount, options: EncodingOptions())
            #expect(file == expected)
        }
        #expect(throws: ImageEncodingError.inconsistentFrames) {
            try encoder.encode([], loopCount: 0, options: EncodingOptions())
        }
    }

    @Test("a file that is open stays open while its worker encodes")
    func betweenFrames() throws {
        let image = try #require(try GeneratedImage.all().first { $0.format == .gif })
        let fixture = IsolatedFixture()
        let frames = try fixture.decoders.makeFrameReader(of: image.data, request: DecodingRequest())
        let expected = try fixture.local.makeFrameReader(of: image.data, request: DecodingRequest())
        for index in 0..<expected.header.frameCount {
            _ = try Self.encode("png", fixture)
            #expect(try frames.frame(at: index) == expected.frame(at: index))
        }
    }

    /// Attacks while an image is encoded, and what the failure says.
    static let attacks = [
        ("fault", "signal 11"), ("abort", "signal 6"), ("exit", "status 0"), ("loop", "not answer in time"),
        ("connect", "socket"), ("execute", "execve"), ("fork", "clone"), ("answer too much", "5000 bytes"),
        ("answer too little", "3 bytes"), ("answer another request", "request 99"),
        ("answer nothing", "to request 2"), ("answer a huge file", "a file of another size"),
        ("answer an empty file", "a file of another size"), ("answer two sizes", "another kind of answer"),
        ("open /etc/passwd", "the attack was refused"), ("nobody", "no encoder nobody"),
    ]

    @Test("an attack is a failure of its image, and the next file is right", arguments: attacks)
    func attack(name: String, text: String) throws {
        let fixture = IsolatedFixture { $0.timeLimit = .seconds(3) }
        #expect {
            try Self.encode(name, fixture)
        } throws: { error in
            guard case .failed(.png, let reason) = error as? ImageEncodingError else { return false }
            return reason.contains(text)
        }
        #expect(try Self.encode("png", fixture) == PNGEncoder().encode(Self.bitmap, options: EncodingOptions()))
    }

    @Test("an attack with an animation is a failure of it", arguments: ["fault", "answer nothing", "loop"])
    func attackWithAnimation(name: String) throws {
        let fixture = IsolatedFixture { $0.timeLimit = .seconds(3) }
        let frames = [Self.bitmap, Self.bitmap].map { AnimationFrame(bitmap: $0, delay: .zero) }
        #expect {
            try fixture.decoders.encoder(like: PNGEncoder(), named: name)
                .encode(frames, loopCount: 0, options: EncodingOptions())
        } throws: { error in
            guard case .failed(.png, let reason) = error as? ImageEncodingError else { return false }
            return reason.contains(["fault": "signal 11", "loop": "in time"][name] ?? "a file of another size")
        }
        #expect(try Self.encode("png", fixture) == PNGEncoder().encode(Self.bitmap, options: EncodingOptions()))
    }

    @Test(
        "an encoding that is cancelled ends soon, also if the worker does not notice", .timeLimit(.minutes(1)),
        arguments: [1, 2])
    func cancels(frameCount: Int) async {
        // The event comes in the midst of encoding.
        let fixture = IsolatedFixture { $0.onEvent = { _ in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } } }
        let frames = [AnimationFrame](
            repeating: AnimationFrame(bitmap: Self.bitmap, delay: .zero), count: frameCount)
        let task = Task {
            try fixture.decoders.encoder(like: PNGEncoder(), named: "open and loop")
                .encode(frames, loopCount: 0, options: EncodingOptions())
        }
        await #expect(throws: ImageEncodingError.cancelled) { try await task.value }
    }

    @Test(
        "a worker without one of the protections is refused",
        arguments: [(1, "no_new_privs"), (2, "Landlock"), (4, "seccomp"), (8, "limits")])
    func partlyUnprotected(protection: Int, name: String) throws {
        let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).without-\(protection)")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: IsolatedFixture.program)
        defer { try? FileManager.default.removeItem(at: link) }
        let fixture = IsolatedFixture { $0.program = link.path }
        #expect(fixture.failure("header:fault") == .workerFailed(.unprotected("the kernel lacks \(name)")))
    }

    @Test("a worker that can't lock itself is refused, or reported once")
    func unprotected() throws {
        let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).unprotected")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: IsolatedFixture.program)
        defer { try? FileManager.default.removeItem(at: link) }
        let data = try #require(try GeneratedImage.all().first).data
        let required = IsolatedFixture { $0.program = link.path }
        for _ in 0..<2 {
            guard case .failure(.workerFailed(.unprotected)) = outcome({ try required.decoders.decode(data) }) else {
                Issue.record("an image was decoded without protection")
                return
            }
        }
        let preferred = IsolatedFixture {
            $0.program = link.path
            $0.requirement = .preferred
            $0.imagesPerWorker = 1
        }
        for _ in 0..<2 { #expect(try preferred.decoders.decode(data) == preferred.local.decode(data)) }
        for fixture in [required, preferred] {
            let reports = fixture.events.messages.filter { if case .unprotected = $0 { true } else { false } }
            #expect(reports.count == 1)
        }
    }
}
