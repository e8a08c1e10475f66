import Foundation
import GeneratedImages
import ImageCore
import Testing

@testable import ImageMetadata

@Suite("Exif properties") struct ExifTests {
    @Test("tell when, where and by whom a photograph was taken, in both byte orders", arguments: [false, true])
    func properties(isLittleEndian: Bool) throws {
        let metadata = EmbeddedMetadata(exif: TestExif(isLittleEndian: isLittleEndian).data)
        let date = try #require(metadata.captureDate)
        #expect([date.year, date.month, date.day, date.hour, date.minute, date.second] == [2024, 5, 1, 12, 30, 59])
        #expect(date.timeZone?.secondsFromGMT() == 7_200)
        let location = try #require(metadata.location)
        #expect(abs(location.latitude - 48.858_333) < 0.000_01 && abs(location.longitude + 2.294_333) < 0.000_01)
        #expect(location.altitude == -17.5)
        #expect(metadata.creator == "Ann" && metadata.copyright == "(c) Ann B.")
        #expect(metadata.cameraMake == "Maker1" && metadata.cameraModel == "M1" && metadata.orientation == .right)
    }

    @Test(
        "have no date that is none", arguments: ["0000:00:00 00:00:00", "2024:13:01 00:00:00", "    :  :  ", "x", ""])
    func dates(text: String) {
        #expect(EmbeddedMetadata(exif: TestExif(date: text).data).captureDate == nil)
    }

    @Test(
        "have no zone that is none, and a date all the same",
        arguments: [
            "   :  ", "+2", "02:00", "+a:b", "", "+9999999999999999:00", "-00:9223372036854775807", "+24:00", "+02:60",
            "+-5:00", "-02:-30",
        ])
    func zones(text: String) throws {
        let date = try #require(EmbeddedMetadata(exif: TestExif(zone: text).data).captureDate)
        #expect(date.year == 2024 && date.timeZone == nil)
    }

    @Test(
        "have zones of minutes, to the west, and UTC", arguments: [("-05:30", -19_800), ("+05:30", 19_800), ("Z", 0)])
    func zones(text: String, seconds: Int) {
        #expect(
            EmbeddedMetadata(exif: TestExif(zone: text).data).captureDate?.timeZone?.secondsFromGMT() == seconds)
    }

    @Test("have the time of a change if there is no other, and texts of no other type")
    func otherTexts() {
        let date = Self.block([(0x0132, 2, "2024:05:01 12:30:59")])
        #expect(EmbeddedMetadata(exif: date).captureDate?.day == 1)
        #expect(EmbeddedMetadata(exif: Self.block([(0x010F, 7, "Maker")])).cameraMake == nil)
    }

    @Test("have places in the south")
    func south() throws {
        var exif = TestExif().data
        exif.replaceSubrange(try #require(exif.firstRange(of: Data("N\0\0\0".utf8))), with: Data("S\0\0\0".utf8))
        #expect(EmbeddedMetadata(exif: exif).location.map { $0.latitude < -48 } == true)
    }

    @Test("have places in the east up to 180 degrees, and above the sea")
    func east() throws {
        for (degrees, isPlace) in [(UInt8(179), true), (180, false), (181, false)] {
            var exif = TestExif().data
            exif.replaceSubrange(try #require(exif.firstRange(of: Data("W\0\0\0".utf8))), with: Data("E\0\0\0".utf8))
            let longitude = try #require(exif.firstRange(of: Data([0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 6, 0xE6])))
            exif[longitude.lowerBound + 3] = degrees
            let altitude = try #require(exif.firstRange(of: Data([0, 5, 0, 1, 0, 0, 0, 1, 1])))
            exif[altitude.upperBound - 1] = 0
            // 17.66 minutes are added.
            let location = EmbeddedMetadata(exif: exif).location
            #expect(location.map { abs($0.longitude - 179.294_333) < 0.000_01 } == (isPlace ? true : nil))
            #expect(location?.altitude == (isPlace ? 17.5 : nil))
        }
    }

    /// Returns a block of texts of more than four bytes, with a directory for details. Each has a tag and a type.
    private static func block(_ main: [(UInt16, UInt16, String)], details: [(UInt16, UInt16, String)] = []) -> Data {
        func directory(_ texts: [(UInt16, UInt16, String)], at offset: Int, pointer: Int?) -> Data {
            let count = texts.count + (pointer == nil ? 0 : 1)
            var (table, values) = (Data(), Data())
            table.append(bigEndian: UInt16(count))
            for (tag, type, text) in texts {
                for number in [tag, type] { table.append(bigEndian: number) }
                let start = offset + 6 + 12 * count + values.count
                for number in [text.utf8.count, start] { table.append(bigEndian: UInt32(number)) }
                values += Data(text.utf8)
            }
            for number in pointer.map({ [0x8769 << 16 | 4, 1, $0] }) ?? [] { table.append(bigEndian: UInt32(number)) }
            return table + Data(count: 4) + values
        }
        let end = 8 + directory(main, at: 8, pointer: 0).count
        return Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8]) + directory(main, at: 8, pointer: end)
            + directory(details, at: end, pointer: nil)
    }

    @Test(
        "are written once, in order, at even offsets and without empty or long texts; the lens stays, its number goes")
    func written() throws {
        let long = String(repeating: "a", count: 4_096)
        let exif = Self.block(
            [
                (0x8298, 2, "(c) Ann"), (0x013B, 2, "Ann B"), (0x013B, 2, "Other"), (0x0132, 2, "     \0"),
                (0x010F, 2, long), (0x0110, 2, long + "a"),
            ],
            details: [0x9004, 0xA430, 0xA431, 0xA432, 0xA433, 0xA434, 0xA435].map { ($0, 2, "Lens 12") })
        let kept = try #require(EmbeddedMetadata(exif: exif).withoutPrivateData.exif)
        let reader = try #require(TIFFReader(kept))
        let entries = Array(reader.entries(of: try #require(reader.firstDirectory)))
        #expect(entries.map(\.tag) == [0x010F, 0x013B, 0x8298, 0x8769])
        #expect(EmbeddedMetadata(exif: kept).creator == "Ann B")
        let details = Array(reader.entries(of: try #require(entries.last.flatMap(reader.integer(of:)))))
        #expect(details.map(\.tag) == [0x9004, 0xA432, 0xA433, 0xA434])
        for entry in entries.dropLast() + details { #expect(try #require(reader.integer(at: entry.field, 4)) % 2 == 0) }
    }

    @Test("have no place with an angle that is none")
    func places() throws {
        for latitude in [[(1, 0), (0, 1), (0, 1)], [(91, 1), (0, 1), (0, 1)], [(1, 1)], []] {
            #expect(EmbeddedMetadata(exif: TestExif(latitude: latitude).data).location == nil)
        }
        // Signed quotients, and shorts.
        for type: UInt8 in [10, 3] {
            var exif = TestExif().data
            exif[try #require(exif.firstRange(of: Data([0, 2, 0, 5, 0, 0, 0, 3]))).lowerBound + 3] = type
            #expect(EmbeddedMetadata(exif: exif).location == nil)
        }
    }

    @Test("only rights, or all but what is private, are written to a new block", arguments: [false, true])
    func kept(isLittleEndian: Bool) throws {
        let metadata = EmbeddedMetadata(exif: TestExif(isLittleEndian: isLittleEndian).data)
        let rights = metadata.rights
        #expect(rights.creator == "Ann" && rights.copyright == "(c) Ann B." && rights.cameraMake == nil)
        let public1 = metadata.withoutPrivateData
        #expect(public1.location == nil && public1.captureDate == metadata.captureDate)
        #expect(public1.cameraMake == "Maker1" && public1.cameraModel == "M1")
        #expect(public1.orientation == .right && public1.creator == "Ann")
        let block = try #require(public1.exif)
        for text in ["Caption", "MakerNote", "S12345"] { #expect(block.firstRange(of: Data(text.utf8)) == nil) }
        #expect(ExifReader.thumbnail(in: block) == nil && ExifReader.thumbnail(in: metadata.exif ?? Data()) != nil)
        #expect(public1.withoutPrivateData == public1)
        #expect(EmbeddedMetadata(icc: Data([7])).withoutPrivateData.icc == Data([7]))
        #expect(EmbeddedMetadata(exif: ExifBlock.orientation(.up)).rights.exif == nil)
    }

    @Test("of an upright image have the orientation 1, of any type, and no thumbnail", arguments: [false, true])
    func upright(isLittleEndian: Bool) throws {
        let exif = TestExif(isLittleEndian: isLittleEndian).data
        let upright = EmbeddedMetadata(exif: exif).forUprightImage
        #expect(upright.orientation == .up && upright.cameraMake == "Maker1" && upright.location != nil)
        #expect(upright.exif?.count == exif.count && upright.exif.flatMap(ExifReader.thumbnail) == nil)
        let long: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 4, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0]
        #expect(EmbeddedMetadata(exif: Data(long)).forUprightImage.orientation == .up)
    }

    @Test("are read within the bounds of a block that is cut off or damaged at any byte")
    func damaged() {
        func read(_ exif: Data) {
            let metadata = EmbeddedMetadata(exif: exif)
            _ = (metadata.captureDate, metadata.location, metadata.creator, metadata.orientation)
            _ = (metadata.rights, metadata.withoutPrivateData, metadata.forUprightImage)
        }
        for exif in [TestExif().data, TestExif(isLittleEndian: true).data] {
            for count in 0..<exif.count { read(exif.prefix(count)) }
            for index in 0..<exif.count {
                for byte: UInt8 in [0, 1, 8, 0x7F, 0xFF] {
                    var changed = exif
                    changed[index] = byte
                    read(changed)
                }
            }
        }
    }

    @Test("of directories that refer to themselves, and of entries with gigantic values, take little time and memory")
    func hostile() {
        var block = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF])
        for index in 0..<65_535 {
            // Directories at the first one, and texts that are all of the block.
            let (tag, type, count) = index % 2 == 0 ? (UInt16(0x8769), UInt16(4), UInt32(1)) : (0x8298, 2, 786_000)
            for number in [tag, type] { block.append(bigEndian: number) }
            for number in [count, 8] { block.append(bigEndian: number) }
        }
        let metadata = EmbeddedMetadata(exif: block)
        #expect(metadata.captureDate == nil && metadata.location == nil)
        #expect(metadata.withoutPrivateData.exif == nil && metadata.rights.exif == nil)
        #expect(metadata.copyright?.utf8.count ?? 0 <= 1_000)
    }
}
