import Foundation
import Testing

@testable import ImageServerKit

@Suite struct URLSignatureTests {
    private let path = "/rs:fit:100:100/plain/http://example.com/a.jpg"

    private func pair(_ key: String) throws -> URLSignature.Pair {
        try #require(URLSignature.Pair(hexadecimalKey: key, salt: "68656c6c6f"))
    }

    @Test("verifies what it signs, and nothing else")
    func roundTrip() throws {
        let signature = URLSignature([try pair("736563726574")])
        let signed = try #require(signature.sign(path))
        #expect(signature.verify(signed, of: path))
        #expect(!signature.verify(signed, of: path + "?"))
        #expect(!signature.verify(signed.dropLast(), of: path))
        #expect(!signature.verify("", of: path))
        #expect(!signature.verify("insecure", of: path))
        #expect(!signature.verify("%%%", of: path))
    }

    @Test("verifies with each pair and signs with the first one")
    func rotation() throws {
        let (old, new) = (try pair("aa"), try pair("bb"))
        let both = URLSignature([new, old])
        let signedByOld = try #require(URLSignature([old]).sign(path))
        #expect(both.verify(signedByOld, of: path))
        #expect(both.sign(path) == URLSignature([new]).sign(path))
        #expect(!URLSignature([new]).verify(signedByOld, of: path))
    }

    @Test("accepts exactly the configured number of bytes of the digest")
    func truncation() throws {
        let short = URLSignature([try pair("aa")], byteCount: 8)
        let long = URLSignature([try pair("aa")])
        let signed = try #require(short.sign(path))
        #expect(Base64URL.decode(signed)?.count == 8)
        #expect(short.verify(signed, of: path))
        #expect(!long.verify(signed, of: path))
        #expect(!short.verify(try #require(long.sign(path)), of: path))
    }

    @Test("verifies nothing without a pair")
    func noPair() {
        #expect(!URLSignature([]).verify("", of: path))
        #expect(URLSignature([]).sign(path) == nil)
    }

    @Test("refuses keys that are not hexadecimal", arguments: ["", "abc", "xy", "a "])
    func keys(key: String) { #expect(URLSignature.Pair(hexadecimalKey: key, salt: "aa") == nil) }

    @Test(
        "verifies paths that proxies changed, as they were signed",
        arguments: [
            "/rs:fit:9:9/plain/http:/example.com/a.jpg", "/rs%3Afit%3A9%3A9/plain/http%3A//example.com/a.jpg",
            "/rs%3afit%3a9%3a9/plain/http%3a/example.com/a.jpg", "/rs:fit:9:9/plain/http%3A//example.com/a.jpg",
            "/rs:fit:9:9/plain/http://example.com/a.jpg",
        ])
    func changedPaths(path: String) throws {
        let signature = URLSignature([try pair("aa")])
        let signed = try #require(signature.sign("/rs:fit:9:9/plain/http://example.com/a.jpg"))
        let url = try ImageURLParser(signature: signature).parse("/\(signed)\(path)", now: .distantPast)
        #expect(url.source.absoluteString == "http://example.com/a.jpg" && url.options.width == 9)
        #expect(throws: URLFailure.wrongSignature) {
            try ImageURLParser(signature: signature).parse("/\(signed)\(path)x", now: .distantPast)
        }
    }

    @Test(
        "verifies other sources that proxies changed",
        arguments: [
            ("/w:9/plain/http://h:8080/a:b.jpg@png", "/w%3A9/plain/http%3A//h%3A8080/a%3Ab.jpg@png"),
            ("/w:9/plain/http%3A%2F%2Fh%2Fa.jpg", "/w%3A9/plain/http%3A%2F%2Fh%2Fa.jpg"),
            ("/w:9/plain/file:///srv/a.jpg", "/w:9/plain/file:/srv/a.jpg"),
            ("/w:9/plain/https://h/a%3Ab", "/w:9/plain/https:/h/a%3Ab"),
            ("/w:9/fn:a%3Ab/plain/http://h/a", "/w:9/fn:a%3Ab/plain/http:/h/a"),
            ("/w:9/aHR0cDovL2EuYi9jZA", "/w%3A9/aHR0cDovL2EuYi9jZA"),
        ])
    func otherChangedPaths(signed: String, received: String) throws {
        let parser = ImageURLParser(signature: URLSignature([try pair("aa")]))
        let digest = try #require(URLSignature([try pair("aa")]).sign(signed))
        #expect(
            try parser.parse("/\(digest)\(received)", now: .distantPast)
                == parser.parse("/\(digest)\(signed)", now: .distantPast))
    }
}
