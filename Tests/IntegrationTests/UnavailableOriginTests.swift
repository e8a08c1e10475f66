import Foundation
import HTTPTransports
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@Suite("Origins that don't respond", .timeLimit(.minutes(5)))
struct UnavailableOriginTests {
    private typealias Reply = ScriptedTransport.Reply

    private let network = ScriptedTransport()
    private let connectivity = SettableConditionMonitor(Connectivity.online)
    private let test: TestLoader

    init() throws {
        let http = try #require(HTTPTransport.allCases.first)
        test = TestLoader(http) { [network, connectivity] in
            $0.makeTransport = { _ in network }
            $0.connectivityMonitor = connectivity
        }
    }

    private func request(_ name: String, _ replies: Reply...) throws -> ImageRequest {
        let url = try #require(URL(string: name.contains("//") ? name : "http://images.example/\(name)"))
        network.script(url, replies)
        return ImageRequest(url: url)
    }

    /// Returns requests for images that are stored, stale, and fail when they are requested again.
    private func storedImages(_ count: Int, then reply: Reply) async throws -> [ImageRequest] {
        let stale = Reply.ok(Data([1]), headers: [.cacheControl: "max-age=0", .eTag: "\"1\""])
        let requests = try (0..<count).map { try request("stored/\($0)", stale, reply) }
        for request in requests { _ = try await test.loader.data(for: request) }
        return requests
    }

    private func isUnavailable(_ error: ImageError?) -> Bool {
        if case .network(let failure) = error { failure.kind == .serverUnavailable } else { false }
    }

    @Test("stored images are shown after the images without a stored response have failed, without requests")
    func afterFailures() async throws {
        let stored = try await storedImages(12, then: .refused)
        for number in 0..<12 { _ = await test.failure(try request("new/\(number)", .refused)) }
        #expect(isUnavailable(await test.failure(try request("new", .ok(Data([2]))))))
        let sent = network.sendCount
        for request in stored { #expect(try await test.loader.data(for: request).source == .stale) }
        #expect(network.sendCount == sent)
    }

    @Test("stored images of an origin that times out wait for it ten times at most")
    func silentOrigin() async throws {
        let stored = try await storedImages(30, then: .failure(.timedOut(.head)))
        for request in stored { #expect(try await test.loader.data(for: request).source == .stale) }
        #expect(network.sendCount == 30 + 10)
    }

    @Test("an origin that redirects to a dead one stays available", arguments: [true, false])
    func redirects(_ hasCache: Bool) async throws {
        var options = ImageLoaderOptions(cacheDirectory: hasCache ? test.folder : nil)
        options.makeTransport = { _ in network }
        options.retryPolicy.maxRetries = 0
        options.connectivityMonitor = nil
        let loader = ImageLoader(options)
        for number in 0..<12 {
            let target = try request("http://dead.example/\(number)", .refused)
            let location = try #require(target.url?.absoluteString)
            let redirect = try request("\(number)", .status(.found, headers: [.location: location]))
            await #expect(throws: ImageError.self) { try await loader.data(for: redirect) }
        }
        #expect(try await loader.data(for: request("image", .ok(Data([1])))).source == .network)
        #expect(try await loader.data(for: request("http://images.example:81/a", .ok(Data([1])))).source == .network)
        await #expect(throws: ImageError.self) { try await loader.data(for: request("http://dead.example/a")) }
    }

    @Test("when the network returns, origins that failed before are asked again")
    func networkReturned() async throws {
        for number in 0..<10 { _ = await test.failure(try request("\(number)", .refused)) }
        let image = try request("image", .ok(Data([1])))
        #expect(isUnavailable(await test.failure(image)))
        connectivity.condition = .offline
        connectivity.condition = .online
        #expect(try await test.loader.data(for: image).source == .network)
    }
}
