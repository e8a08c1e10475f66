import Foundation
import HTTPTypes
import ImageCore
import ImageDiskCaching
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Secrets in the cache")
struct SecretsTests {
    private let cookie = "session=S3cretCookie"
    private let secrets = [
        "S3cretCookie", "S3cretBearer", "S3cretUser", "S3cretPassword", "S3cretQuery", "S3cretAccount",
    ]

    /// The secrets, and what others can compute from them without a key.
    private var traces: [String] {
        let texts = secrets + [cookie, "Bearer S3cretBearer", "S3cretUser:S3cretPassword"]
        return texts + texts.map { SHA256.hexadecimalDigest(of: Array($0.utf8)) }
            + texts.map { Data($0.utf8).base64EncodedString() }
    }

    private func request() -> TransportRequest {
        var request = CachingFixture.request("/a", ["Cookie: \(cookie)", "Authorization: Bearer S3cretBearer"])
        request.account = "S3cretAccount"
        request.url =
            URL(string: "https://S3cretUser:S3cretPassword@images.test/a?width=1&token=S3cretQuery") ?? request.url
        return request
    }

    private func send(in cache: any ImageDataCache, isInterrupted: Bool) async throws {
        let test = CachingFixture(disk: cache)
        let body = Data(count: 2_000_000)
        let end = ScriptedTransport.Step.fail(.connectionLost("reset"))
        test.server.script(
            request().url,
            [
                .init(
                    headers: [
                        .cacheControl: "max-age=60", .vary: "Cookie, Authorization, X-Own", .eTag: "\"1\"",
                        .date: HTTPDate.format(noon),
                    ], announcedByteCount: body.count, body: [.piece(body)] + (isInterrupted ? [end] : []))
            ])
        let resuming = ResumingTransport(
            test.server, cache: cache, clock: ManualClock(), now: { noon })
        let options = CachingOptions(
            keys: CacheKeyRules(["images.test": .dropping(["token"])]))
        let caching = CachingTransport(over: resuming, cache: cache, options: options, clock: ManualClock()) { noon }
        for isSecond in [false, true] {
            let response = try await caching.send(request())
            if isSecond, !isInterrupted { #expect(response.source == .cache) }
            do { for try await _ in response.body {} } catch { #expect(isInterrupted) }
        }
    }

    @Test(
        "no entry, key or file has a header, a password, an account or a dropped query item", arguments: [true, false])
    func unreadable(isInterrupted: Bool) async throws {
        let memory = InMemoryDataCache()
        try await send(in: memory, isInterrupted: isInterrupted)
        #expect(memory.entries.count >= 3)
        for (key, entry) in memory.entries {
            expectNoTrace(in: Data(key.identifier.utf8) + entry.metadata + entry.data, key.identifier)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await send(in: DiskDataCache(directory: folder, now: { noon }), isInterrupted: isInterrupted)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where !file.hasDirectoryPath {
            expectNoTrace(in: Data(file.path.utf8) + (try Data(contentsOf: file)), file.path)
        }
    }

    private func expectNoTrace(in bytes: Data, _ place: String) {
        for trace in traces { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in \(place)") }
    }

    @Test("equal values have different codes in different responses")
    func ownKeys() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let codes = try (0..<2).map { _ in
            let response = stored("Vary: Cookie", to: HTTPFields(["Cookie: a"]))
            #expect(response.isSelected(by: HTTPFields(["Cookie: a"])))
            #expect(!response.isSelected(by: HTTPFields(["Cookie: b"])) && !response.isSelected(by: [:]))
            return try encoder.encode(response)
        }
        #expect(codes[0] != codes[1])
    }

    @Test("an index of an older version is a miss, and is removed")
    func olderIndex() async throws {
        let cache = InMemoryDataCache()
        let test = CachingFixture(disk: cache)
        let old = Data(#"{"variants":[{"bodyName":"x","response":{"selectingFields":{"cookie":"S3cret"}}}]}"#.utf8)
        let key = DataCacheKey(identifier: CachingFixture.url("/a").normalizedText)
        try await cache.store(DataCacheEntry(data: old, creationDate: noon), for: key)
        #expect(try await test.stored() == nil)
        #expect(cache.entries.isEmpty)
    }

    @Test("caches with one store find each other's private responses, also after the key was removed or replaced")
    func sharedKey() async throws {
        let cache = InMemoryDataCache()
        func launched() -> CachingFixture {
            let test = CachingFixture(disk: cache)
            for path in ["/a", "/b"] { test.script(path, .text("private", "Cache-Control: max-age=60")) }
            return test
        }
        func source(_ path: String, _ test: CachingFixture = launched()) async throws -> ResponseSource {
            try await test.get(path, "Authorization: a").source
        }
        let (first, second) = (launched(), launched())
        #expect(try await source("/a", first) == .network)
        #expect(try await source("/a", second) == .cache)
        #expect(try await second.stored("/a", "Authorization: b") == nil)
        // One that knows the key stores it again.
        try await cache.remove(for: DataCacheKey(identifier: "key-of-private-names"))
        #expect(try await source("/b", first) == .network)
        for path in ["/a", "/b"] { #expect(try await source(path) == .cache) }
        // One that doesn't know it makes another, which the others then use.
        try await cache.removeAll()
        #expect(try await source("/a") == .network)
        #expect(try await source("/b", second) == .network)
        for path in ["/a", "/b"] { #expect(try await source(path) == .cache) }
    }

    @Test("credentials that differ only in bytes that aren't UTF-8, or in their normalization, are other identities")
    func identityBytes() {
        func identity(_ bytes: [UInt8]...) -> CacheIdentity {
            CacheIdentity(HTTPFields(bytes.map { HTTPField(name: .authorization, value: $0) }))
        }
        #expect(identity([0x41, 0xE9]) != identity([0x41, 0xE8]))
        #expect(identity([0x41, 0xE9]) == identity([0x41, 0xE9]))
        #expect(identity([0x41], [0x42]) != identity([0x41]))
        #expect(CacheIdentity(partition: "\u{E9}") != CacheIdentity(partition: "e\u{301}"))
        #expect(CacheIdentity([:]) == .anonymous)
    }

    @Test("of two keys that processes make at once, the one that stays is used")
    func keysAtOnce() async throws {
        let (cache, gate) = (InMemoryDataCache(), TestGate())
        cache.hold(.entry, at: gate)
        async let name = EntryNames(cache).name(for: "a", creationTime: noon)
        await gate.waitForArrivals(1)
        gate.letOnePass()
        await gate.waitForArrivals(2)
        let other = DataCacheEntry(data: Data(repeating: 7, count: 32), creationDate: noon)
        try await cache.store(other, for: DataCacheKey(identifier: "key-of-private-names"))
        gate.open()
        #expect(try await name == EntryNames(cache).name(for: "a", creationTime: nil))
    }

    @Test("a stored key of the wrong length isn't used")
    func damagedKey() async throws {
        let cache = InMemoryDataCache(entries: [
            DataCacheKey(identifier: "key-of-private-names"): DataCacheEntry(data: Data(count: 3), creationDate: noon)
        ])
        let names = EntryNames(cache)
        #expect(try await names.name(for: "a", creationTime: nil) == nil)
        #expect(try await names.name(for: "a", creationTime: noon) != nil)
        #expect(cache.entries.values.map(\.data.count) == [32])
    }

    @Test("a variant is selected by the bytes of its request fields")
    func variantBytes() {
        func cookie(_ byte: UInt8) -> HTTPFields { HTTPFields([HTTPField(name: .cookie, value: [0x61, 0x3D, byte])]) }
        let response = stored("Vary: Cookie", to: cookie(0xE9))
        #expect(response.isSelected(by: cookie(0xE9)) && !response.isSelected(by: cookie(0xE8)))
    }

    @Test("parts of a download are not used for credentials that differ only in bytes that aren't UTF-8")
    func partByteCount() async throws {
        let server = ScriptedTransport()
        let cache = InMemoryDataCache()
        let url = CachingFixture.url("/a")
        let head: HTTPFields = [.eTag: "\"1\""]
        server.script(
            url,
            [.init(headers: head, announcedByteCount: 9, body: [.piece(Data(count: 5)), .fail(.connectionLost("x"))])])
        for byte in [0xE9, 0xE8, 0xE9] as [UInt8] {
            let transport = ResumingTransport(
                server, cache: cache, partByteCount: 2, clock: ManualClock(), now: { noon })
            let field = HTTPField(name: .authorization, value: [byte])
            let response = try await transport.send(TransportRequest(url: url, headers: HTTPFields([field])))
            await #expect(throws: TransportError.self) { for try await _ in response.body {} }
        }
        #expect(server.requests.map { $0.headers[.range] != nil } == [false, false, true])
    }
}
