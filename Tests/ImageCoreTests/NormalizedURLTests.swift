import Foundation
import Testing

@testable import ImageCore

@Suite("Normalized URLs in keys (RFC 3986, 6.2.2 and 6.2.3)")
struct NormalizedURLTests {
    private func text(_ url: String) throws -> String { try #require(URL(string: url)).normalizedText }

    @Test(
        "equivalent URLs have the same text, which is normalized itself",
        arguments: [
            ("HTTPS://Images.TEST/A", "https://images.test/A"),
            ("https://a.test", "https://a.test/"), ("https://a.test?b", "https://a.test/?b"),
            ("https://a.test#b", "https://a.test/"), ("https://a.test/b#c?d", "https://a.test/b"),
            ("http://a.test:80/b", "http://a.test/b"), ("https://a.test:443/b", "https://a.test/b"),
            ("https://a.test:/b", "https://a.test/b"), ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"), ("http://[::1]/a", "http://[::1]/a"),
            ("https://a.test/%7e%41%2d%2E%5f%30", "https://a.test/~A-._0"), ("https://a.test/%7E", "https://a.test/~"),
            ("https://a.test/%c3%bc%2f?q=%3a%7E#%7e", "https://a.test/%C3%BC%2F?q=%3A~"),
            ("https://a.test/%2a", "https://a.test/%2A"), ("https://a.test/%a2", "https://a.test/%A2"),
            ("https://%61.test/", "https://a.test/"), ("https://%41.test/", "https://a.test/"),
            ("https://a.test/b/./c/../d", "https://a.test/b/d"), ("https://a.test/../..", "https://a.test/"),
            ("https://a.test/b/%2E%2e/c", "https://a.test/c"), ("https://a.test/b/..", "https://a.test/"),
            ("https://a.test/b/.", "https://a.test/b/"), ("https://a.test/.b/..c", "https://a.test/.b/..c"),
            ("https://a.test/b//../c", "https://a.test/b/c"), ("https://a.test/b?/../c", "https://a.test/b?/../c"),
            ("FILE:///tmp/./a%7Eb.png", "file:///tmp/a~b.png"), ("cid:a", "cid:a"), ("a/b", "a/b"), ("A/b:C", "A/b:C"),
            ("file:/.//a", "file:/.//a"),
            ("DATA:image/png;base64,AA%2b#c", "data:image/png;base64,AA%2B"),
        ])
    func equivalent(url: String, expected: String) throws {
        #expect(try text(url) == expected)
        #expect(try text(expected) == expected)
    }

    @Test(
        "other URLs have other texts",
        arguments: [
            ("https://a.test/b", "http://a.test/b"), ("https://a.test/b", "https://a.test/B"),
            ("https://a.test/b", "https://a.test/b/"), ("https://a.test/b", "https://a.test/b?"),
            ("https://a.test/b?c=D", "https://a.test/b?c=d"), ("https://a.test/b%2Fc", "https://a.test/b/c"),
            ("https://a.test/b?c=%26d", "https://a.test/b?c=&d"), ("https://a.test/b%3Fc", "https://a.test/b?c"),
            ("http://a.test:443/", "http://a.test/"), ("https://a.test:80/", "https://a.test/"),
            ("https://a.test/b%25%37e", "https://a.test/b~"), ("https://a.test/b//c", "https://a.test/b/c"),
            ("https://a.test/?a=1&b=2", "https://a.test/?b=2&a=1"), ("https://a.test/b+c", "https://a.test/b%20c"),
        ])
    func different(one: String, other: String) throws { #expect(try text(one) != text(other)) }

    @Test("users have different texts, without user and password")
    func users() throws {
        let users = ["ann:secret@", "ann:other@", "bob:secret@", "ann@", ""]
        let texts = try users.map { try text("https://\($0)a.test/b") }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.hasSuffix("a.test/b") && !$0.contains("ann") && !$0.contains("secret") })
        #expect(try text("https://a%6En:secret@A.test/b") == texts[0])
        let urls = users.compactMap { URL(string: "https://\($0)a.test/b")?.withoutCredentials }
        #expect(urls.map(\.absoluteString) == users.map { _ in "https://a.test/b" })
    }
}
