import Foundation
import Testing

@testable import ImageHTTPCaching

@Suite("Cache keys")
struct CacheKeyTests {
    static func key(_ text: String, _ rules: CacheKeyRules = CacheKeyRules()) -> String? {
        URL(string: text).map { rules.key(for: $0) }
    }

    @Test(
        "equivalent URLs have the same key",
        arguments: [
            ("HTTPS://Images.TEST:443#top", "https://images.test/"),
            ("http://a.test:80/b?c=d#e", "http://a.test/b?c=d"),
            ("http://a.test:8080", "http://a.test:8080/"), ("https://a.test/b/../%7e%c3", "https://a.test/~%C3"),
            ("https://a.test:80/", "https://a.test:80/"), ("http://[::1]:80/a", "http://[::1]/a"),
            ("https://a.test/%C3%BC?q=%20", "https://a.test/%C3%BC?q=%20"), ("https://a.test/A", "https://a.test/A"),
            ("data:image/png;base64,AA#b", "data:image/png;base64,AA"),
            ("file:///tmp/a%20b.png", "file:///tmp/a%20b.png"),
        ])
    func canonical(text: String, expected: String) {
        #expect(Self.key(text) == expected)
    }

    @Test("drops or keeps query items by the rule for the host")
    func query() {
        let rules = CacheKeyRules([
            "CDN.test": .dropping(["sig", "expires"]), "*.store.test": .keeping(["v"]),
            "*.eu.store.test": .dropping(["x"]),
        ])
        #expect(Self.key("https://cdn.test/a?w=1&sig=xyz&h=2&expires=3", rules) == "https://cdn.test/a?w=1&h=2")
        #expect(Self.key("https://cdn.test/a?sig", rules) == "https://cdn.test/a")
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

    @Test("users and passwords in URLs have different keys, and are not part of them")
    func users() {
        let keys = ["ann:secret@", "bob:secret@", ""].map { Self.key("http://\($0)a.test/") }
        #expect(Set(keys).count == 3 && keys.allSatisfy { $0?.contains("secret") == false })
    }

    @Test("identities have different keys, without their credentials")
    func identity() throws {
        let url = try #require(URL(string: "https://a.test/1"))
        let identities: [CacheIdentity] = [
            .anonymous, CacheIdentity(authorization: "Bearer secret"), CacheIdentity(authorization: "Bearer other"),
            CacheIdentity(partition: "Bearer secret"), CacheIdentity(authorization: "", partition: ""),
            CacheIdentity(authorization: "a", partition: "b"), CacheIdentity(authorization: "a 1:b"),
            CacheIdentity(authorization: "a b"), CacheIdentity(authorization: "a"),
            CacheIdentity(authorization: "a", partition: ""),
        ]
        let keys = identities.map { CacheKeyRules().key(for: url, identity: $0) }
        #expect(Set(keys).count == identities.count)
        #expect(keys.allSatisfy { $0.hasPrefix("https://a.test/1") && !$0.contains("secret") })
        #expect(keys[0] == "https://a.test/1")
    }
}
