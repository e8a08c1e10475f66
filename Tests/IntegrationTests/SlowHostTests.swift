import Foundation
import HTTPTransports
import ImageCore
import ImageLoaderKit
import ImageTesting
import LoopbackServer
import Testing

@Suite("A host that doesn't answer", .timeLimit(.minutes(10)))
struct SlowHostTests {
    @Test(
        "does not delay another host, a file, bytes at hand or a fetch that downloads, even if it may have all slots",
        arguments: [12, 6, 2], HTTPTransport.allCases)
    func slowHost(maxDownloads: Int, _ http: HTTPTransport) async throws {
        let (held, png) = (LoopbackSignal(), try Images.png(4, 3))
        let server = try LoopbackServer { request in
            request.path.hasPrefix("/stalled") ? .steps([.wait(held)]) : .ok(png)
        }
        let test = TestLoader(http) { options in
            options.maxDownloads = maxDownloads
            options.maxDownloadsPerServer = 6
        }
        let stalled = (0..<20).map { number in
            let request = ImageRequest(url: server.url("/stalled/\(number)"), priority: .veryHigh)
            return Task { try await test.loader.image(for: request) }
        }
        await held.arrivals(min(6, maxDownloads - 1))

        let other = try #require(
            URL(string: server.url("/other").absoluteString.replacing("127.0.0.1", with: "localhost")))
        let file = test.folder.deletingLastPathComponent().appending(path: "slow-\(UUID().uuidString).png")
        try Data(png).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = try #require(URL(string: "data:image/png;base64,\(Data(png).base64EncodedString())"))
        let loader = test.loader
        let fetch = ImageOrigin.fetch(name: "photo 1") { try await loader.data(for: ImageRequest(url: other)).data }
        for origin in [.url(file), .url(text), .data(Data(png)), .url(other), fetch] as [ImageOrigin] {
            let loaded = try await loader.image(for: ImageRequest(origin, priority: .low))
            #expect(loaded.image.bitmap.size == PixelSize(width: 4, height: 3))
        }
        for task in stalled { task.cancel() }
        held.open()
    }
}
