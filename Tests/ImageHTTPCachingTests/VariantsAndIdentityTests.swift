import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Variants, identities and keys")
struct VariantsAndIdentityTests {
    private let test = CachingFixture()

    @Test("stores several variants of a URL, each for its own requests")
    func variants() async throws {
        test.script(
            "/a", .text("webp", "Cache-Control: max-age=60", "Vary: Accept"),
            .text("jpeg", "Cache-Control: max-age=60", "Vary: Accept"))
        #expect(try await test.get("/a", "Accept: image/webp").text == "webp")
        #expect(try await test.get("/a", "Accept: image/jpeg").text == "jpeg")
        #expect(try await test.get("/a", "Accept: image/webp").text == "webp")
        #expect(try await test.get("/a", "Accept: image/jpeg").text == "jpeg")
        #expect(test.server.sendCount == 2)
    }

    @Test("a 304 updates only its own variant")
    func validation() async throws {
        test.script(
            "/a", .text("webp", "Cache-Control: max-age=1", "Vary: Accept", "ETag: \"w\""),
            .text("jpeg", "Cache-Control: max-age=1", "Vary: Accept", "ETag: \"j\""),
            .text("", "Cache-Control: max-age=600", "ETag: \"w\"", status: .notModified))
        _ = try await test.get("/a", "Accept: image/webp")
        _ = try await test.get("/a", "Accept: image/jpeg")
        test.time.advance(2)
        #expect(try await test.get("/a", "Accept: image/webp").text == "webp")
        test.time.advance(2)
        #expect(try await test.stored("/a", "Accept: image/webp")?.text == "webp")
        #expect(try await test.stored("/a", "Accept: image/jpeg") == nil)
    }

    @Test("removes the oldest variant and its body above the limit")
    func tooManyVariants() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "Vary: Accept"))
        for number in 0...VariantIndex.maxVariants { _ = try await test.get("/a", "Accept: \(number)") }
        #expect(try await test.stored("/a", "Accept: 0") == nil)
        #expect(try await test.stored("/a", "Accept: 1") != nil)
        #expect(test.entryCount == 1 + VariantIndex.maxVariants)
    }

    @Test("separates identities, and stores no credentials in keys")
    func identities() async throws {
        test.script(
            "/a", .text("mine", "Cache-Control: max-age=60"), .text("yours", "Cache-Control: max-age=60"),
            .text("all", "Cache-Control: max-age=60"))
        #expect(try await test.get("/a", "Authorization: secret").text == "mine")
        #expect(try await test.get("/a", "Authorization: other").text == "yours")
        #expect(try await test.get("/a").text == "all")
        #expect(try await test.get("/a", "Authorization: secret").text == "mine")
        let keys = try #require(test.disk as? InMemoryDataCache).entries.keys
        let digest = CacheIdentity(authorization: "secret").digest
        #expect(!keys.isEmpty && keys.allSatisfy { !$0.identifier.contains("secret") })
        #expect(keys.allSatisfy { !$0.identifier.contains(digest) }, "without a key, it can be guessed")
    }

    @Test("separates accounts that share a cache")
    func partitions() async throws {
        let disk = InMemoryDataCache()
        let accounts = ["ann", "bob"].map { name in
            CachingFixture(disk: disk) { $0.identity = { _, _ in CacheIdentity(partition: name) } }
        }
        for (account, text) in zip(accounts, ["hers", "his"]) {
            account.script("/a", .text(text, "Cache-Control: max-age=60"))
        }
        for (account, text) in zip(accounts, ["hers", "his"]) { #expect(try await account.get().text == text) }
        for (account, text) in zip(accounts, ["hers", "his"]) { #expect(try await account.get().text == text) }
    }

    @Test("a stored 401 with its key doesn't answer the request of a challenge handler", arguments: ["ann", nil])
    func challenge(account: String?) async throws {
        test.script("/a", .text("", "Cache-Control: max-age=300", status: .unauthorized), .text("mine"))
        let transport = ModifyingTransport(
            test.transport,
            challengeHandler: { request, _ in
                request.headers[.cookie] = "new"
                return true
            })
        let response = try await transport.send(CachingFixture.request("/a") { $0.account = account })
        #expect(try await Received(response).text == "mine")
        #expect(test.server.requests.map { $0.headers[.cookie] } == [nil, "new"])
    }

    @Test(
        "key rules map equivalent URLs to one response, which has the URL of the request")
    func keys() async throws {
        let test = CachingFixture { $0.keys = CacheKeyRules(["images.test": .dropping(["signature"])]) }
        test.script("/a?signature=1", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get("/a?signature=1")
        let response = try await test.transport.send(CachingFixture.request("/a?signature=2#part"))
        #expect(response.source == .cache)
        #expect(response.head.url == CachingFixture.url("/a?signature=2#part"))
    }

    @Test("requests with one identifier share a response, whatever their URLs")
    func identifiers() async throws {
        test.script("/a?1", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get("/a?1") { $0.identifier = "name" }
        #expect(try await test.get("/a?2") { $0.identifier = "name" }.source == .cache)
    }

    @Test("keeps all concurrent changes of an index")
    func changesAtOnce() async throws {
        let disk = InMemoryDataCache()
        let test = CachingFixture(disk: disk)
        let gate = TestGate()
        disk.hold(.entry, at: gate)
        test.script("/a", .text("one", "Cache-Control: max-age=60", "Vary: Accept"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { _ = try await test.get("/a", "Accept: \(number)") } }
            await gate.waitForArrivals(8)
            gate.open()
            try await group.waitForAll()
        }
        for number in 0..<8 { #expect(try await test.stored("/a", "Accept: \(number)") != nil) }
    }
}

@Suite("A modifying transport in front of a cache")
struct CachedModifyingTransportTests {
    private let test = CachingFixture()

    private var cache: any ResponseCache {
        let isSignedOut = { @Sendable in test.server.sendCount > 0 }
        return ModifyingTransport(
            test.transport,
            modify: { request in
                if isSignedOut(), request.headers[.accept] == nil { throw CancellationError() }
                request.headers[.authorization] = "token"
            })
    }

    private func request(of account: String) -> TransportRequest {
        var request = CachingFixture.request("/a")
        request.account = account
        return request
    }

    private func isStored(_ lines: String..., in cache: any ResponseCache) async -> Bool {
        await isStored(CachingFixture.request("/a", lines), in: cache)
    }

    private func isStored(_ request: TransportRequest, in cache: any ResponseCache) async -> Bool {
        guard case .stored = try? await cache.answer(to: request) else { return false }
        return true
    }

    @Test("requests are looked up and removed as they are sent")
    func changed() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=600"))
        _ = try await Received(cache.send(CachingFixture.request("/a")))
        #expect(await isStored("Accept: image/*", in: cache))
        #expect(await !isStored("Accept: image/*", in: test.transport))
        #expect(await !isStored(in: cache), "the modifier throws")
        await cache.removeStoredResponses(to: CachingFixture.request("/a", ["Accept: image/*"]))
        #expect(await !isStored("Accept: image/*", in: cache))
    }

    @Test("if the modifier throws, the unchanged request is looked up for its account, and not for another")
    func signedOut() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=600"))
        _ = try await Received(cache.send(request(of: "ann")))
        #expect(await isStored(request(of: "ann"), in: cache))
        #expect(await !isStored(request(of: "bob"), in: cache))
        #expect(await !isStored(in: cache), "without an account")
    }
}
