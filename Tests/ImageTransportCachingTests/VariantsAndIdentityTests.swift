import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageTransportCaching

@Suite("Variants, identities and keys")
struct VariantsAndIdentityTests {
    private let test = CachedOrigin()

    @Test("several variants of a URL are kept beside each other, and each answers its own requests")
    func variants() async throws {
        test.script(
            "/a", .text("webp", "Cache-Control: max-age=60", "Vary: Accept"),
            .text("jpeg", "Cache-Control: max-age=60", "Vary: Accept"))
        #expect(try await test.get("/a", "Accept: image/webp").text == "webp")
        #expect(try await test.get("/a", "Accept: image/jpeg").text == "jpeg")
        #expect(try await test.get("/a", "Accept: image/webp").text == "webp")
        #expect(try await test.get("/a", "Accept: image/jpeg").text == "jpeg")
        #expect(test.origin.sendCount == 2)
    }

    @Test("a 304 refreshes its own variant alone")
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

    @Test("of more variants than are kept the oldest goes, with its body")
    func tooManyVariants() async throws {
        test.script("/a", .text("one", "Cache-Control: max-age=60", "Vary: Accept"))
        for number in 0...VariantIndex.maxVariants { _ = try await test.get("/a", "Accept: \(number)") }
        #expect(try await test.stored("/a", "Accept: 0") == nil)
        #expect(try await test.stored("/a", "Accept: 1") != nil)
        #expect(test.entryCount == 1 + VariantIndex.maxVariants)
    }

    @Test("what one identity got is not shown to another, and no credential is in a key")
    func identities() async throws {
        test.script(
            "/a", .text("mine", "Cache-Control: max-age=60"), .text("yours", "Cache-Control: max-age=60"),
            .text("all", "Cache-Control: max-age=60"))
        #expect(try await test.get("/a", "Authorization: secret").text == "mine")
        #expect(try await test.get("/a", "Authorization: other").text == "yours")
        #expect(try await test.get("/a").text == "all")
        #expect(try await test.get("/a", "Authorization: secret").text == "mine")
        let keys = try #require(test.disk as? InMemoryDataCache).entries.keys
        #expect(!keys.isEmpty && keys.allSatisfy { !$0.source.contains("secret") })
    }

    @Test("accounts on one folder are apart")
    func partitions() async throws {
        let disk = InMemoryDataCache()
        let accounts = ["ann", "bob"].map { name in
            CachedOrigin(disk: disk) { $0.identity = { _ in CacheIdentity(partition: name) } }
        }
        for (account, text) in zip(accounts, ["hers", "his"]) {
            account.script("/a", .text(text, "Cache-Control: max-age=60"))
        }
        for (account, text) in zip(accounts, ["hers", "his"]) { #expect(try await account.get().text == text) }
        for (account, text) in zip(accounts, ["hers", "his"]) { #expect(try await account.get().text == text) }
    }

    @Test(
        "rules of keys make one of addresses that mean one image, and the response tells the address that was asked")
    func keys() async throws {
        let test = CachedOrigin { $0.keys = CacheKeyRules(["images.test": .dropping(["signature"])]) }
        test.script("/a?signature=1", .text("one", "Cache-Control: max-age=60"))
        _ = try await test.get("/a?signature=1")
        let response = try await test.transport.send(CachedOrigin.request("/a?signature=2#part"))
        #expect(response.source == .cache)
        #expect(response.head.url == CachedOrigin.url("/a?signature=2#part"))
    }

    @Test("changes of one index at once all count")
    func changesAtOnce() async throws {
        let disk = InMemoryDataCache()
        let test = CachedOrigin(disk: disk)
        let gate = Gate()
        disk.hold(.entry, at: gate)
        test.script("/a", .text("one", "Cache-Control: max-age=60", "Vary: Accept"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { _ = try await test.get("/a", "Accept: \(number)") } }
            await gate.arrivals(8)
            gate.open()
            try await group.waitForAll()
        }
        for number in 0..<8 { #expect(try await test.stored("/a", "Accept: \(number)") != nil) }
    }
}
