import ImageCore
import ImageDiskCaching
import Testing

@Suite("Checksums and names")
struct ChecksumTests {
    private static func ramp(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    private static func xxh64(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        unsafe XXH64.checksum(of: bytes.span.bytes, seed: seed)
    }

    @Test(
        "XXH64 of texts is what the reference implementation gives",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999, 0x6EC6_D05F_61C7_E7A7),
            ("a", 0xD24E_C4F1_A98C_6E5B, 0x727C_10E0_D238_E188),
            ("abc", 0x44BC_2CF5_AD77_0999, 0xA7CB_2AAC_405E_36C7),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1, 0x9D24_E6A5_798D_51E1),
        ] as [(String, UInt64, UInt64)])
    func checksumOfText(text: String, unseeded: UInt64, seeded: UInt64) {
        #expect(Self.xxh64(Array(text.utf8)) == unseeded)
        #expect(Self.xxh64(Array(text.utf8), seed: 0x9E37_79B1_85EB_CA87) == seeded)
    }

    @Test(
        "XXH64 is right on both sides of each boundary of its algorithm",
        arguments: [
            (4, 0xA40E_4929_EFDE_ACE0), (8, 0x9CDE_1E0F_BAC0_53A6), (12, 0x96DC_211F_0F14_DA00),
            (31, 0x8340_E23E_22F8_3759),
            (32, 0x8809_E1CA_0BE2_5072), (33, 0x1C68_2D88_8481_1FDB), (63, 0x0288_D608_249C_2ECA),
            (64, 0xCE47_892C_1E53_BE8E),
            (100, 0x819D_2B72_6001_D507), (1000, 0x7C09_C652_49EA_7A94),
        ] as [(Int, UInt64)])
    func checksumOfRamp(count: Int, expected: UInt64) {
        #expect(Self.xxh64(Self.ramp(count), seed: 42) == expected)
    }

    @Test(
        "SHA-256 gives the digests of the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func digestOfText(text: String, digest: String) {
        #expect(EntryName(DataCacheKey(source: text)).text == digest)
    }

    @Test(
        "SHA-256 is right on both sides of each boundary of its padding",
        arguments: [
            (55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"),
            (56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"),
            (63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488"),
            (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
            (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
            (120, "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c"),
            (1000, "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d"),
        ])
    func digestOfRamp(count: Int, digest: String) {
        #expect(EntryName(keyBytes: Self.ramp(count)).text == digest)
    }

    @Test("a name can be read back from its text, and from nothing else")
    func nameFromText() {
        let name = EntryName(DataCacheKey(source: "abc"))
        #expect(EntryName(name.text) == name)
        #expect(EntryName(name.text.uppercased()) == nil)
        #expect(EntryName(String(name.text.dropLast())) == nil)
        #expect(EntryName(name.text + "0") == nil)
        #expect(EntryName(String(name.text.dropLast()) + "g") == nil)
    }
}
