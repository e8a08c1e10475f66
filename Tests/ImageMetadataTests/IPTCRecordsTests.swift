import Foundation
import GeneratedImages
import ImageCore
import Testing

@testable import ImageMetadata

@Suite("IPTC records") struct IPTCRecordsTests {
    private static func dataSet(_ record: UInt8, _ number: UInt8, _ text: String) -> Data {
        Data([0x1C, record, number, 0, UInt8(text.utf8.count)]) + Data(text.utf8)
    }

    private static let records =
        Data([0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47]) + dataSet(2, 0, "\0\u{4}") + dataSet(2, 25, "Holiday")
        + dataSet(2, 80, "Ann B.") + dataSet(2, 116, "(c) Ann") + dataSet(2, 120, "Caption")

    private static let segment = IPTCRecords.segment(records)

    @Test("are read after other resources, and from several segments")
    func segments() throws {
        let prefix = IPTCRecords.prefix
        let named = Data("8BIM".utf8) + [0x04, 0x0C, 2, 65, 66, 0, 0, 0, 0, 0]
        let thumbnail = named + Data("8BIM".utf8) + [0x04, 0x0C, 1, 65, 0, 0, 0, 3, 1, 2, 3, 0]
        let resource = Self.segment.dropFirst(prefix.count)
        for segments in [[thumbnail + resource], [thumbnail + resource.prefix(40), resource.dropFirst(40)]] {
            #expect(IPTCRecords.read(segments.map { prefix + $0 }) == Self.records)
        }
    }

    @Test("tell author and copyright, and keep only these as rights")
    func rights() throws {
        let metadata = EmbeddedMetadata(iptc: Self.records)
        #expect(metadata.creator == "Ann B." && metadata.copyright == "(c) Ann")
        let kept = try #require(metadata.rights.iptc)
        #expect(kept.count == Self.records.count - 24)
        #expect(EmbeddedMetadata(iptc: kept).creator == "Ann B.")
        #expect(metadata.withoutPrivateData.iptc == kept)
        let contact = Self.dataSet(2, 118, "Ann")
        #expect(IPTCRecords.rights(Self.dataSet(3, 80, "City") + contact) == contact)
    }

    @Test("that are damaged count as missing, and what doesn't fit into a segment is left out")
    func damaged() throws {
        for count in 0..<Self.segment.count {
            let isWhole = Self.segment.count - count <= Self.records.count % 2
            #expect((IPTCRecords.read([Self.segment.prefix(count)]) == nil) == !isWhole)
        }
        #expect(IPTCRecords.read([IPTCRecords.segment(Data())]) == nil)
        for index in 0..<Self.segment.count {
            var changed = Self.segment
            changed[index] = 0xFF
            _ = IPTCRecords.read([changed]).flatMap(IPTCRecords.rights)
        }
        for count in 0..<Self.records.count {
            let kept = IPTCRecords.rights(Self.records.prefix(count)) ?? Data()
            #expect(kept.isEmpty || kept.firstRange(of: Data("Ann B.".utf8)) != nil)
        }
        #expect(IPTCRecords.rights(Data([0x1C, 2, 116, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF, 65])) == nil)
        #expect(IPTCRecords.rights(Data([0x1C, 2, 116, 0x80, 4, 0, 0, 0, 1]) + Data(count: 40_000)) == nil)
        #expect(IPTCRecords.rights(Data([0x1C, 2, 116, 0x7F, 0xFF, 65])) == nil)
        #expect(IPTCRecords.rights(Data([0x1D, 2, 116, 0, 1, 65])) == nil)
        let many = Data((0..<1_001).flatMap { _ in Data("8BIM".utf8) + [0x04, 0x0C, 0, 0, 0, 0, 0, 0] })
        let prefix = IPTCRecords.prefix
        #expect(IPTCRecords.read([prefix + many + Self.segment.dropFirst(prefix.count)]) == nil)
        let jpeg = try #require(try GeneratedImage.all().first { $0.format == .jpeg }).data
        #expect(try EmbeddedMetadata(iptc: Data(count: 65_530)).embedded(in: jpeg) == jpeg)
    }
}
