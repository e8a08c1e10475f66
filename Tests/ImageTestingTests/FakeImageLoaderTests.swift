import Foundation
import ImageCore
import ImageTesting
import Testing

@Suite("FakeImageLoader", .timeLimit(.minutes(5)))
struct FakeImageLoaderTests {
    private let loader = FakeImageLoader()
    private let request = ImageRequest(.fetch(name: "a") { Data() })

    @Test("a request without a script fails and is logged")
    func unscripted() async {
        await #expect(throws: ImageError.self) { try await loader.image(for: request) }
        #expect(loader.messages == [.image("fetch a"), .unscripted("fetch a")])
    }

    @Test("a loaded image is cached until cached images are removed, but not for requests that bypass the memory cache")
    func memory() async throws {
        loader.script(.image(PixelSize(width: 4, height: 3)), for: request)
        #expect(try await loader.image(for: request).source == .network)
        #expect(loader.cachedImage(for: request)?.decoded.bitmap.size == PixelSize(width: 4, height: 3))
        var other = request
        other.cachePolicy = .diskOnly
        #expect(loader.cachedImage(for: other) == nil)
        loader.removeCachedImages()
        #expect(loader.cachedImage(for: request) == nil)
        _ = try await loader.image(for: other)
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test("an image is opaque if its color is, and an animation repeats forever", arguments: [254, 255] as [UInt8])
    func images(alpha: UInt8) async throws {
        let size = PixelSize(width: 2, height: 1)
        loader.script(.image(size, color: [1, 2, 3, alpha]), for: request)
        #expect(try await loader.image(for: request).bitmap.isOpaque == (alpha == 255))
        loader.script(.animation([size, size], delay: .seconds(1)), for: request)
        let animation = try await loader.animation(for: request)
        #expect(animation.frames.moment(at: .seconds(101)) == AnimationMoment(frame: 1, end: .seconds(102)))
        #expect(animation.firstFrame.decoded.header.loopCount == 0)
    }

    @Test("data arrives with its responses and progress, and a scripted failure is thrown")
    func data() async throws {
        let responses = [OriginalResponse(url: URL(filePath: "/a"), status: 200)]
        loader.script(.data(Data([1, 2]), responses: responses), for: request)
        let progress = MessageLog<WorkProgress>()
        let loaded = try await loader.data(for: request) { progress.append($0) }
        #expect(loaded.data == Data([1, 2]) && loaded.responses == responses)
        #expect(progress.messages == [WorkProgress(completedByteCount: 2, totalByteCount: 2)])
        loader.script(.failure(.notFound), for: request)
        await #expect(throws: ImageError.notFound) { try await loader.data(for: request) }
    }

    @Test("a cancelled request fails, also at a gate")
    func cancelled() async {
        loader.script(.held(TestGate(), .image(PixelSize(width: 1, height: 1))), for: request)
        let task = Task { [loader, request] in try await loader.image(for: request) }
        await loader.waitForMessages(1)
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(loader.messages == [.image("fetch a"), .cancelled("fetch a")])
    }

    @Test("a held reply arrives when the gate opens")
    func held() async throws {
        let gate = TestGate()
        loader.script(.held(gate, .data(Data("a".utf8))), for: request)
        let task = Task { [loader, request] in try await loader.data(for: request).data }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(try await task.value == Data("a".utf8))
    }
}
