import ImageTransporting
import Testing

@testable import ImageServerKit

@Suite struct AddressRulesTests {
    @Test(
        "refuses addresses that are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.1.2.3",
            "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1",
            "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "::ffff:0:10.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
            "2002:c0a8:1::1", "100::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "2001::1",
            "2001:db8::1", "3fff::1", "4000::1", "1::1",
            "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1", "2606:4700:0:1:0:5efe:127.0.0.1",
            "2606:4700::100:5efe:169.254.169.254", "2606:4700::300:5efe:192.168.1.1", "fe80::5efe:8.8.8.8",
            "2002:808:808::5efe:10.0.0.1", "2002:808:808::200:5efe:7f00:1", "2002:a00:1::5efe:8.8.8.8",
            "2002:0a00:0001:1:2:3:4:5", "64:ff9b:1::808:808", "64:ff9b:1:a00:0:100::", "64:ff9b::10.0.0.1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:7f00:1::1", "::10.0.0.1", "::ffff:0:127.0.0.1",
        ])
    func refused(text: String) throws {
        let address = try #require(TransportAddress(text))
        #expect(!AddressRules().allows(address))
    }

    @Test(
        "allows public addresses",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e",
            "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2606:4700::5efe:8.8.8.8",
            "2606:4700::400:5efe:10.0.0.1", "2002:808:808::5efe:8.8.8.8",
        ])
    func allowed(text: String) throws {
        let address = try #require(TransportAddress(text))
        #expect(AddressRules().allows(address))
    }

    @Test("allows the exceptions and nothing beside them")
    func exceptions() throws {
        let rules = AddressRules(
            exceptions: try ["10.1.0.0/16", "127.0.0.1", "fd00::/8"].map { try #require(AddressRange($0)) })
        #expect(rules.allows(try #require(TransportAddress("10.1.2.3"))))
        #expect(rules.allows(try #require(TransportAddress("127.0.0.1"))))
        #expect(rules.allows(try #require(TransportAddress("::ffff:10.1.2.3"))))
        #expect(rules.allows(try #require(TransportAddress("fd12::1"))))
        #expect(!rules.allows(try #require(TransportAddress("10.2.0.1"))))
        #expect(!rules.allows(try #require(TransportAddress("127.0.0.2"))))
        #expect(!rules.allows(try #require(TransportAddress("fe80::1"))))
    }

    @Test("parses ranges", arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "a/8", "::/129", "10.0.0.0/8/8", ""])
    func malformedRanges(text: String) { #expect(AddressRange(text) == nil) }

    @Test("compares bits within a byte")
    func bits() throws {
        let range = try #require(AddressRange("172.16.0.0/12"))
        #expect(range.contains(try #require(TransportAddress("172.31.0.1"))))
        #expect(!range.contains(try #require(TransportAddress("172.32.0.1"))))
        #expect(try #require(AddressRange("0.0.0.0/0")).contains(try #require(TransportAddress("1.2.3.4"))))
    }
}
