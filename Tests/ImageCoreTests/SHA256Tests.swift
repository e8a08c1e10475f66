import ImageCore
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "matches the examples of FIPS 180-4, also at the boundaries of the padding",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func examples(text: String, digest: String) {
        #expect(SHA256.hexadecimalDigest(of: Array(text.utf8)) == digest)
    }

    @Test("codes match the test cases 1, 2 and 3 of RFC 4231, and a long key is replaced by its digest")
    func codes() {
        func code(_ text: [UInt8], _ key: [UInt8]) -> String { SHA256.hexadecimalCode(of: text, key: key) }
        #expect(
            code(Array("Hi There".utf8), Array(repeating: 0x0B, count: 20))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            code(Array("what do ya want for nothing?".utf8), Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            code(Array(repeating: 0xDD, count: 50), Array(repeating: 0xAA, count: 20))
                == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
        // hmac.new(b"k" * 64, b"a", "sha256") in Python, and with 65
        for (length, start) in [(64, [0x55, 0x5E, 0x93, 0x1A]), (65, [0x6B, 0xA0, 0xE2, 0x7D])] as [(Int, [UInt8])] {
            let code = SHA256.authenticationCode(of: Array("a".utf8), key: Array(repeating: 0x6B, count: length))
            #expect(code.starts(with: start))
            #expect(code.count == 32)
        }
    }
}
