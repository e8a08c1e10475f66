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
        "verifies raw UTF-8, which arrives percent-encoded",
        arguments: [
            ("/w:9/plain/http://h/é.png", "/w:9/plain/http://h/%C3%A9.png"),
            ("/w:9/fn:日本/plain/http://h/a%20é", "/w:9/fn:%E6%97%A5%E6%9C%AC/plain/http://h/a%20%C3%A9"),
            ("/w:9/plain/http://h/é", "/w:9/plain/http:/h/%C3%A9"),
            ("/w:9/plain/http://h/%C3%A9", "/w:9/plain/http://h/%C3%A9"),
        ])
    func rawUTF8(signed: String, received: String) throws {
        let signature = URLSignature([try pair("aa")])
        let digest = try #require(signature.sign(signed))
        let parser = ImageURLParser(signature: signature)
        let url = try parser.parse("/\(digest)\(received)", now: .distantPast)
        #expect(url == (try ImageURLParser(signature: nil).parse("/_\(signed)", now: .distantPast)))
        #expect(throws: URLFailure.wrongSignature) {
            try parser.parse("/\(digest)\(received)%C3%A9", now: .distantPast)
        }
    }

    @Test("a local source is a file in the folder of the base")
    func localSources() throws {
        let parser = ImageURLParser(
            signature: nil, base: SourceBase(folder: URL(filePath: "/srv/a b", directoryHint: .isDirectory)))
        for path in ["local:///c%20d.png", "local:/c%20d.png", "LOCAL:///c%20d.png"] {
            let url = try parser.parse("/_/plain/\(path)", now: .distantPast)
            #expect(url.source.absoluteString == "file:///srv/a%20b/c%20d.png", "\(path)")
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
