import Foundation
import Testing

@testable import ImageHTTPCaching

@Suite("Cache keys")
struct CacheKeyTests {
    static func key(_ text: String, _ rules: CacheKeyRules = CacheKeyRules()) -> String? {
        URL(string: text).map { rules.key(for: $0) }
    }

    @Test("drops or keeps query items by the rule for the host")
    func query() {
        let rules = CacheKeyRules([
            "CDN.test": .dropping(["sig", "expires"]), "*.store.test": .keeping(["v"]),
            "*.eu.store.test": .dropping(["x"]),
        ])
        #expect(Self.key("https://cdn.test/a?w=1&sig=xyz&h=2&expires=3", rules) == "https://cdn.test/a?w=1&h=2")
        #expect(Self.key("https://CDN.test/a?sig", rules) == "https://cdn.test/a")
        #expect(Self.key("https://img.store.test/a?v=1&t=2", rules) == "https://img.store.test/a?v=1")
        #expect(Self.key("https://b.eu.store.test/a?v=1&x=2&t=3", rules) == "https://b.eu.store.test/a?v=1&t=3")
        #expect(Self.key("https://c.img.store.test/a?v=1&t=2", rules) == "https://c.img.store.test/a?v=1")
        #expect(Self.key("https://store.test/a?t=2", rules) == "https://store.test/a?t=2")
        #expect(Self.key("https://xcdn.test/a?sig=1", rules) == "https://xcdn.test/a?sig=1")
        let all = CacheKeyRules(["*": .keeping([]), "a.test": .dropping([])])
        #expect(Self.key("https://b.test/a?t=2", all) == "https://b.test/a")
        #expect(Self.key("https://a.test/a?t=2", all) == "https://a.test/a?t=2")
    }

    @Test("compares the names of query items in normalized form")
    func encodedNames() {
        let rules = CacheKeyRules(["a.test": .dropping(["%c3%bc", "s%69g"])])
        #expect(Self.key("https://a.test/?%C3%BC=1&sig=2&%c3%bd=3", rules) == "https://a.test/?%C3%BD=3")
    }

    @Test("identities have different keys, without their credentials")
    func identity() throws {
        let url = try #require(URL(string: "https://a.test/1"))
        let identities: [CacheIdentity] = [
            .anonymous, CacheIdentity(authorization: "Bearer secret"), CacheIdentity(authorization: "Bearer other"),
            CacheIdentity(partition: "Bearer secret"), CacheIdentity(authorization: "", partition: ""),
            CacheIdentity(authorization: "a", partition: "b"), CacheIdentity(authorization: "a 1:b"),
            CacheIdentity(authorization: "a b"), CacheIdentity(authorization: "a"),
            CacheIdentity(authorization: "a", partition: ""), CacheIdentity(authorization: "a", partition: "b -"),
        ]
        let keys = identities.map { CacheKeyRules().key(for: url, identity: $0) }
        #expect(Set(keys).count == identities.count)
        #expect(keys.allSatisfy { $0.hasPrefix("https://a.test/1") && !$0.contains("secret") })
        #expect(keys[0] == "https://a.test/1")
    }
}
