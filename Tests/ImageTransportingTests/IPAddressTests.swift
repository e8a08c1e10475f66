import ImageTransporting
import Testing

@Suite struct IPAddressTests {
    @Test(
        "parses the usual notations and writes them in their shortest form",
        arguments: [
            ("192.0.2.1", "192.0.2.1", 4), ("255.255.255.255", "255.255.255.255", 4), ("::1", "::1", 16),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1", 16), ("::ffff:192.0.2.1", "::ffff:192.0.2.1", 16), ("::", "::", 16),
        ])
    func notations(text: String, expected: String, byteCount: Int) throws {
        let address = try #require(TransportAddress(text))
        #expect(address.description == expected)
        #expect(address.bytes.count == byteCount)
        #expect(TransportAddress(bytes: address.bytes) == address)
    }

    @Test(
        "refuses other texts",
        arguments: [
            "", "1.2.3", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "1.2.3.4.5", "256.0.0.1", "[::1]", "::1%lo",
            "example.com",
            "1.2.3.4 ", ":::",
        ])
    func malformed(text: String) { #expect(TransportAddress(text) == nil) }

    @Test("refuses other numbers of bytes", arguments: [0, 3, 5, 15, 17])
    func byteCounts(count: Int) { #expect(TransportAddress(bytes: Array(repeating: 0, count: count)) == nil) }
}
