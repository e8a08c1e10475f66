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
        for origin in [.url(file), .url(text), .data(hashing: Data(png)), .url(other), fetch] as [ImageOrigin] {
            let loaded = try await loader.image(for: ImageRequest(origin, priority: .low))
            #expect(loaded.decoded.bitmap.size == PixelSize(width: 4, height: 3))
        }
        for task in stalled { task.cancel() }
        held.open()
    }

    /// Returns servers on which paths that begin with `/stalled` wait for a signal, some of them after the head.
    private func servers(_ count: Int, _ held: LoopbackSignal) throws -> [LoopbackServer] {
        let (head, png) = (LoopbackReply.head(status: 200, headers: ["Content-Length": "1000"]), try Images.png(4, 3))
        return try (0..<count).map { _ in
            try LoopbackServer { request in
                if request.path.hasPrefix("/stalled/1") { return .steps([.text(head), .wait(held)]) }
                return request.path.hasPrefix("/stalled") ? .steps([.wait(held)]) : .ok(png)
            }
        }
    }

    @Test(
        "prefetches have two thirds of a server's places, also if all servers have fewer than one may have",
        arguments: [(4, 6, 2), (7, 100, 4), (1, 6, 1)], HTTPTransport.allCases)
    func places(_ limits: (downloads: Int, perServer: Int, prefetches: Int), _ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let servers = try servers(1, held)
        let test = TestLoader(http) {
            $0.maxDownloads = limits.downloads
            $0.maxDownloadsPerServer = limits.perServer
        }
        let prefetcher = ImagePrefetcher(loader: test.loader, destination: .disk, maxConcurrentRequests: 99)
        prefetcher.start((0..<20).map { ImageRequest(url: servers[0].url("/stalled/\($0)")) })
        await servers[0].requests(limits.prefetches)
        prefetcher.stop()
        held.open()
    }

    @Test(
        "that holds prefetches, on one server or on all, delays no image that is shown", arguments: [12, 2],
        HTTPTransport.allCases)
    func prefetches(maxDownloads: Int, _ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let servers = try servers(4, held)
        let test = TestLoader(http) {
            $0.maxDownloads = maxDownloads
            $0.clock = ManualClock()
        }
        let prefetcher = ImagePrefetcher(loader: test.loader, destination: .disk, maxConcurrentRequests: 99)
        for (index, places) in [4, 4, 0].enumerated() where maxDownloads == 12 || index == 0 {
            prefetcher.start((0..<9).map { ImageRequest(url: servers[index].url("/stalled/\($0)")) })
            await servers[index].requests(min(places, maxDownloads - 1))
            for server in [servers[index], servers[3]] where maxDownloads > 2 || server === servers[3] {
                let request = ImageRequest(url: server.url("/shown/\(index)"), cachePolicy: .disabled)
                #expect(try await test.loader.image(for: request).source == .network)
            }
        }
        let stalled = servers.flatMap(\.log).count { $0.path.hasPrefix("/stalled") }
        #expect(stalled == (maxDownloads == 12 ? 8 : 1), "other prefetches wait")
        prefetcher.stop()
        held.open()
    }

    @Test(
        "delays others by a second only, even if several such hosts had all slots, before and after the first byte",
        arguments: HTTPTransport.allCases)
    func stalledHosts(_ http: HTTPTransport) async throws {
        let (held, clock) = (LoopbackSignal(), ManualClock())
        let servers = try servers(3, held)
        let test = TestLoader(http) { $0.clock = clock }
        let loader = test.loader
        let stalled = servers.prefix(2).flatMap { server in
            (0..<7).map { number in
                let request = ImageRequest(url: server.url("/stalled/\(number)"))
                return Task { try await loader.image(for: request) }
            }
        }
        for server in servers.prefix(2) { await server.requests(6) }
        let other = ImageRequest(url: servers[2].url("/other"))
        let image = Task { try await loader.image(for: other) }
        await clock.waitForSleepers(1)
        #expect(servers[2].requestCount == 0)
        clock.advance(by: .seconds(1))
        #expect(try await image.value.source == .network)
        #expect(servers.prefix(2).allSatisfy { $0.requestCount == 6 }, "a host keeps its own limit")
        for task in stalled { task.cancel() }
        held.open()
    }
}
