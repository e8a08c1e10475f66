import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import Testing

@Suite("The response beside the data", .timeLimit(.minutes(5)))
struct OriginalResponseTests {
    private let fixture = LoaderFixture()

    private func request(_ name: String, _ headers: HTTPFields, adjust: (inout ImageRequest) -> Void = { _ in })
        -> ImageRequest
    {
        fixture.request(name, then: .ok(LoaderFixture.image, headers: headers), adjust: adjust)
    }

    @Test("has the status, the fields and the freshness, from the network and from disk")
    func stored() async throws {
        let request = request("a", [.cacheControl: "max-age=60", .eTag: "\"1\""])
        let first = try await fixture.loader.data(for: request)
        let response = try #require(first.response)
        #expect(first.source == .network && first.responses.count == 1)
        #expect(response.status == 200 && response.url == request.url)
        #expect(response.headers["etag"] == "\"1\"" && response.headers[.cacheControl] == "max-age=60")
        let freshUntil = try #require(response.freshUntil)
        #expect(abs(freshUntil.timeIntervalSince(fixture.wallTime.next()) - 60) < 1)
        fixture.wallTime.advance(20)
        let second = try await fixture.loader.data(for: request)
        #expect(second.source == .disk && second.response?.headers["Age"] == "20")
        #expect(abs(try #require(second.response?.freshUntil).timeIntervalSince(freshUntil)) < 1)
    }

    @Test("is stale if its time has passed, and fresh from its confirmation on")
    func confirmed() async throws {
        let request = request("a", [.cacheControl: "max-age=60", .eTag: "\"1\""])
        _ = try await fixture.loader.data(for: request)
        fixture.wallTime.advance(100)
        var offline = request
        offline.mode = .onlyIfCached
        let stale = try await fixture.loader.data(for: offline)
        #expect(stale.source == .stale)
        #expect(abs(try #require(stale.response?.freshUntil).timeIntervalSince(fixture.wallTime.next()) + 40) < 1)
        fixture.transport.script(request.address, .status(.notModified, headers: [.cacheControl: "max-age=60"]))
        let confirmed = try await fixture.loader.data(for: request)
        #expect(confirmed.source == .validated && confirmed.response?.status == 200)
        #expect(abs(try #require(confirmed.response?.freshUntil).timeIntervalSince(fixture.wallTime.next()) - 60) < 1)
    }

    @Test("comes after the redirects that led to it, also those that are stored")
    func redirects() async throws {
        let target = request("b", [.cacheControl: "max-age=60"])
        let headers: HTTPFields = [.location: target.address.absoluteString, .cacheControl: "max-age=5, private"]
        let request = fixture.request("a", then: .status(.found, headers: headers))
        for source in [ImageSource.network, .disk] {
            let loaded = try await fixture.loader.data(for: request)
            #expect(loaded.source == source && loaded.responses.map(\.status) == [302, 200])
            #expect(loaded.responses.map(\.url) == [request.address, target.address])
            #expect(loaded.responses[0].headers["cache-control"] == "max-age=5, private")
        }
    }

    @Test("is missing if no server has sent the data, and without an HTTP cache its freshness is unknown")
    func withoutServer() async throws {
        let data = LoaderFixture.image
        let local = try await fixture.loader.data(for: ImageRequest(.data(data, name: "a")))
        #expect(local.source == .local && local.response == nil)
        for source in [ImageSource.network, .disk] {
            let fetched = try await fixture.loader.data(for: ImageRequest(.fetch(name: "a") { data }))
            #expect(fetched.source == source && fetched.response == nil)
        }
        let uncached = LoaderTestBed(scheduler: ImmediateScheduler())
        let loaded = try await uncached.loader.data(for: uncached.request("a", [.ok(data)]))
        #expect(loaded.response?.status == 200 && loaded.response?.freshUntil == nil)
    }

    @Test("the error of a busy server says when to ask again, and transports see the values of the application")
    func failure() async throws {
        var request = fixture.request("a", then: .status(.tooManyRequests, headers: [.retryAfter: "120"]))
        request.userInfo[Self.trace] = 7
        await #expect(throws: ImageError.httpStatus(429, retryAfter: .seconds(120))) {
            try await fixture.loader.data(for: request)
        }
        #expect(fixture.transport.requests.first?.userInfo[Self.trace, as: Int.self] == 7)
    }

    private static let trace = ImageUserInfo.Key(rawValue: "trace")
}
