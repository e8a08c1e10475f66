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
