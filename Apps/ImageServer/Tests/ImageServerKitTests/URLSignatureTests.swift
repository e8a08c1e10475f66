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
}
