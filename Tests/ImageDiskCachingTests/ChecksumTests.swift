import ImageCore
import ImageDiskCaching
import Testing

@Suite("Checksums and names")
struct ChecksumTests {
    private static func ramp(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    @Test(
        "the checksum equals that of the reference implementation of XXH3 at each boundary of the algorithm",
        arguments: [
            (0, 0x2D06_8005_38D3_94C2),
            (1, 0xC44B_DFF4_074E_ECDB),
            (3, 0x5F42_99FC_161C_9CBB),
            (4, 0x60DA_B036_A582_11F2),
            (8, 0x3A1C_2D7C_85AF_88F8),
            (9, 0xE961_2598_145B_B9DC),
            (16, 0x8355_E3A6_F617_70DB),
            (17, 0x9EF3_41A9_9DE3_7328),
            (32, 0x3523_581F_E96E_4C05),
            (33, 0xE68C_56BA_8899_1E58),
            (64, 0x6187_EB90_89B0_ED55),
            (128, 0x85C6_174C_7FF4_C46B),
            (129, 0xEC76_42B4_31BA_3E5A),
            (240, 0x375A_384D_957F_E865),
            (241, 0x02E8_CD95_421C_6D02),
            (256, 0x44F5_D90D_ACDE_463A),
            (1024, 0xE5D7_8BAF_A45B_2AA5),
            (1025, 0xE95C_4228_8F28_186E),
            (1088, 0x1A84_8D80_7034_C403),
            (2048, 0x2533_9063_DB86_1586),
            (4096, 0x7135_FFA5_04F1_BC71),
            (65536, 0xAAAE_6380_0707_A868),
            (100000, 0x42C2_3AEE_AD96_750D),
        ] as [(Int, UInt64)])
    func checksumOfRamp(count: Int, expected: UInt64) {
        let bytes = Self.ramp(count)
        #expect(unsafe Checksum.of(bytes.span.bytes) == expected)
        #expect(unsafe Checksum.portable(bytes.span.bytes) == expected)
    }

    @Test(
        "SHA-256 returns the digests of the examples in FIPS 180-4",
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
        "SHA-256 is correct on both sides of each padding boundary",
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

    @Test("a name can be parsed only from its text")
    func nameFromText() {
        let name = EntryName(DataCacheKey(source: "abc"))
        #expect(EntryName(name.text) == name)
        #expect(EntryName(name.text.uppercased()) == nil)
        #expect(EntryName(String(name.text.dropLast())) == nil)
        #expect(EntryName(name.text + "0") == nil)
        #expect(EntryName(String(name.text.dropLast()) + "g") == nil)
    }
}
