import Foundation
import ImageLoaderKit
import LoopbackServer
import Testing

@testable import ImageTesting

@Suite("ImageLoaderKit", .timeLimit(.minutes(3)))
struct KitTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "kit-\(UUID().uuidString)")

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private func photoServer() throws -> LoopbackServer {
        let photo = try Images.jpeg(64, 32)
        return try LoopbackServer { _ in .ok(photo, headers: Images.fresh) }
    }

    @Test("three lines load an image at a size and create the cache directory")
    func threeLines() async throws {
        let server = try photoServer()
        try await withDirectory { directory in
            let loader = ImageLoader(cacheDirectory: directory.appending(path: "a/b"))
            let fitted = try await loader.image(for: server.url(), target: .fit(PixelSize(width: 16, height: 16)))
            let filled = try await loader.image(for: server.url(), target: .fill(PixelSize(width: 16, height: 16)))
            #expect(fitted.size == PixelSize(width: 16, height: 8))
            #expect(filled.size == PixelSize(width: 16, height: 16))
            #expect(loader.cachedImage(for: server.url(), target: .fit(PixelSize(width: 16, height: 16))) != nil)
            let animation = try await loader.animation(
                for: server.url(), target: .fit(PixelSize(width: 16, height: 16)))
            #expect(animation.firstFrame.source == .memory)
            #expect(server.requestCount == 1)
        }
    }

    @Test("requests have a User-Agent with the library's version, unless they set their own")
    func userAgent() async throws {
        let server = try photoServer()
        try await withDirectory { directory in
            let loader = ImageLoader(cacheDirectory: directory)
            _ = try await loader.image(for: server.url("/a"))
            _ = try await loader.image(for: ImageRequest(url: server.url("/b"), headers: ["User-Agent": "mine"]))
            #expect(server.log.map { $0.headers["user-agent"] } == ["swift-image-loading/0.1.0", "mine"])
        }
    }

    @Test("a transport of the application's own has the User-Agent of the options, and errors that stay errors")
    func ownTransport() async throws {
        struct Failing: DataTransport {
            func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
                throw TransportError(UserAgent(text: request.headers[.userAgent]))
            }
        }
        struct UserAgent: Error, Equatable { var text: String? }
        for userAgent in ["Feed/1.0", nil] {
            let loader = ImageLoader(cacheDirectory: directory) {
                $0.cacheDirectory = nil
                $0.userAgent = userAgent
                $0.makeTransport = { _ in Failing() }
            }
            let url = try #require(URL(string: "http://a/"))
            let error = await #expect(throws: ImageError.self) { try await loader.image(for: url) }
            guard case .network(let failure) = error else { throw CancellationError() }
            #expect(failure.underlying?.error as? UserAgent == UserAgent(text: userAgent))
        }
    }

    @Test("files are read as the options allow")
    func files() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.jpg")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(try Images.jpeg(8, 4)).write(to: file)
            for (access, isAllowed) in [(FileAccess.all, true), (.folders([directory]), true), (.disabled, false)] {
                let loader = ImageLoader(cacheDirectory: directory) {
                    $0.cacheDirectory = nil
                    $0.fileAccess = access
                }
                #expect((try? await loader.image(for: file)) != nil || !isAllowed)
                if !isAllowed { await #expect(throws: ImageError.self) { try await loader.image(for: file) } }
            }
        }
    }

    #if os(Linux)
        @Test("addresses that the policy refuses are not connected")
        func addresses() async throws {
            let server = try photoServer()
            let loader = ImageLoader(cacheDirectory: directory) {
                $0.cacheDirectory = nil
                $0.addressPolicy = { $0 != TransportAddress("127.0.0.1") }
            }
            let error = await #expect(throws: ImageError.self) { try await loader.image(for: server.url()) }
            guard case .network(let failure) = error else { throw CancellationError() }
            #expect(failure.kind == .blockedAddress && server.connectionCount == 0)
        }
    #endif

    @Test("processors are applied in order")
    func processors() async throws {
        let server = try photoServer()
        let size = PixelSize(width: 10, height: 6)
        try await withDirectory { directory in
            let loader = ImageLoader(cacheDirectory: directory)
            let image = try await loader.image(
                for: server.url(), processors: [.crop(PixelArea(size: size)), .blur(sigma: 1), .circle()])
            #expect(image.size == PixelSize(width: 6, height: 6))
        }
    }

    @Test("decoders of more formats are passed to the loader, and an error names a decoder that is missing")
    func decoders() async throws {
        let avif = ImageRequest(.data(Data([0, 0, 0, 16]) + Data("ftypavif".utf8) + Data(count: 4), name: "avif"))
        let fake = ImageRequest(.data(FakeImage.encode(width: 40, height: 30), name: "fake"))
        try await withDirectory { directory in
            let loader = ImageLoader(cacheDirectory: directory, decoders: .standard + [FakeDecoder()])
            let image = try await loader.image(for: fake)
            #expect(image.size == PixelSize(width: 40, height: 30))
            let failure = await #expect(throws: ImageError.self) { try await loader.image(for: avif) }
            #expect(
                failure?.description.contains("add AVIFDecoder of ImageCodecAVIF (trait AVIF) to the decoders") == true)
        }
    }

    @Test("the closure changes the options")
    func options() async throws {
        try await withDirectory { directory in
            _ = ImageLoader(cacheDirectory: directory) { $0.cacheDirectory = nil }
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }

    @Test("without a cache directory that can be created, a loader works, and its observer receives the failure")
    func fileAtPath() async throws {
        let server = try photoServer()
        try await withDirectory { directory in
            try Data().write(to: directory)
            let observer = RecordingObserver()
            let loader = ImageLoader(cacheDirectory: directory) { $0.observer = observer }
            #expect(try await loader.image(for: server.url()).source == .network)
            #expect(observer.events.contains { if case .diskFailed = $0.kind { true } else { false } })
        }
    }

    #if os(Linux)
        @Test("the standard cache directory follows the XDG specification")
        func standardDirectory() {
            func path(_ environment: [String: String]) -> String {
                CacheDirectory.standard(name: "feed", environment: environment).path
            }
            #expect(path(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/feed/images")
            #expect(path(["HOME": "/h"]) == "/h/.cache/feed/images")
            #expect(path(["XDG_CACHE_HOME": "relative", "HOME": "/h"]) == "/h/.cache/feed/images")
            #expect(path(["XDG_CACHE_HOME": "", "HOME": "/h"]) == "/h/.cache/feed/images")
            #expect(path(["HOME": "h"]).hasPrefix("/") && path([:]).hasSuffix("/.cache/feed/images"))
        }
    #endif

    @Test("writing a format without an encoder fails, and other encoders can be passed")
    func otherEncoders() async throws {
        let server = try photoServer()
        try await withDirectory { directory in
            let image = try await ImageLoader(cacheDirectory: directory).image(for: server.url())
            await #expect(throws: ImageEncodingError.noEncoder(.avif)) { try await image.encoded(as: .avif) }
            await #expect(throws: ImageEncodingError.noEncoder(.png)) {
                try await image.encoded(as: .png, encoders: [FakeEncoder()])
            }
            let data = try await image.encoded(as: .fake, encoders: [FakeEncoder()])
            #expect(try FakeSizedImageDecoder().header(of: data).storedSize == image.size)
        }
    }

    @Test(
        "an image is encoded in each format and decodes to its size",
        arguments: [ImageFormat.jpeg, .png, .webP, .gif], [true, false])
    func writing(format: ImageFormat, isLossless: Bool) async throws {
        let server = try photoServer()
        try await withDirectory { directory in
            let loader = ImageLoader(cacheDirectory: directory)
            let image = try await loader.image(for: server.url())
            let file = directory.appending(path: "image")
            let options = EncodingOptions(isLossless: isLossless)
            try await image.write(to: file, as: format, options: options)
            let again = try await loader.image(for: file)
            #expect(again.size == image.size)
            let encoded = try await image.encoded(as: format, options: options)
            #expect(try Data(contentsOf: file) == encoded)
            if format == .png || format == .webP && isLossless { #expect(again.bitmap == image.bitmap) }
        }
    }
}
