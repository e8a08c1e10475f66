import Foundation
import HTTPTransports
import ImageCore
import ImageHTTPCaching
import ImageLoaderKit
import ImageLoading
import ImageTesting
import LoopbackServer
import Testing

/// With rules for keys, URLs of the same image are one image in memory, on disk and while it is loaded.
@Suite("URLs with a rotating signature", .timeLimit(.minutes(10)))
struct CacheKeyRulesTests {
    private let rules = CacheKeyRules(["*": .dropping(["sig", "expires"])])

    private func server() throws -> LoopbackServer {
        let jpeg = try Images.jpeg(40, 30)
        return try LoopbackServer { _ in .ok(jpeg, headers: Images.fresh) }
    }

    private func loader(_ folder: URL? = nil) -> TestLoader {
        TestLoader(HTTPTransport.allCases[0], folder: folder) { [rules] in $0.cacheKeyRules = rules }
    }

    @Test("memory and disk return the image of the other signature, and other items are other images")
    func cached() async throws {
        let server = try server()
        let test = loader()
        let requests = ["/a?w=1&sig=1", "/a?sig=2&w=1&expires=3", "/a?w=2&sig=1"].map {
            ImageRequest(url: server.url($0))
        }
        _ = try await test.loader.image(for: requests[0])
        #expect(test.loader.cachedImage(for: requests[1]) != nil)
        #expect(test.loader.cachedImage(for: requests[2]) == nil)
        let relaunched = loader(test.folder)
        #expect(try await relaunched.loader.image(for: requests[1]).source == .disk)
        #expect(try await relaunched.loader.image(for: requests[2]).source == .network)
        #expect(server.log.map(\.target) == ["/a?w=1&sig=1", "/a?w=2&sig=1"])
    }

    @Test("an image is removed, inserted and found under any of its URLs")
    func entries() async throws {
        let server = try server()
        let loader = loader().loader
        let (first, second) = (
            ImageRequest(url: server.url("/a?sig=1")), ImageRequest(url: server.url("/a?sig=2"))
        )
        let image = try await loader.image(for: first).decoded
        await loader.removeCachedImages(for: second)
        #expect(loader.cachedImage(for: first) == nil)
        #expect(await !loader.isCached(first))
        loader.cacheImage(image, for: second)
        #expect(loader.cachedImage(for: first) != nil)
        #expect(await loader.isCached(first))
    }
}
