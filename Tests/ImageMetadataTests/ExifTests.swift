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

    @Test("have no zone that is none, and a date all the same", arguments: ["   :  ", "+2", "02:00", "+a:b", ""])
    func zones(text: String) throws {
        let date = try #require(EmbeddedMetadata(exif: TestExif(zone: text).data).captureDate)
        #expect(date.year == 2024 && date.timeZone == nil)
    }

    @Test("have no place with an angle that is none")
    func places() {
        for latitude in [[(1, 0), (0, 1), (0, 1)], [(91, 1), (0, 1), (0, 1)], [(1, 1)], []] {
            #expect(EmbeddedMetadata(exif: TestExif(latitude: latitude).data).location == nil)
        }
    }

    @Test("only rights, or all but what is private, are written to a new block", arguments: [false, true])
    func kept(isLittleEndian: Bool) throws {
        let metadata = EmbeddedMetadata(exif: TestExif(isLittleEndian: isLittleEndian).data)
        let rights = metadata.rights
        #expect(rights.creator == "Ann" && rights.copyright == "(c) Ann B." && rights.cameraMake == nil)
        let public1 = metadata.withoutPrivateData
        #expect(public1.location == nil && public1.captureDate == metadata.captureDate)
        #expect(public1.cameraMake == "Maker1" && public1.orientation == .right && public1.creator == "Ann")
        let block = try #require(public1.exif)
        for text in ["Caption", "MakerNote", "S12345"] { #expect(block.firstRange(of: Data(text.utf8)) == nil) }
        #expect(ExifReader.thumbnail(in: block) == nil && ExifReader.thumbnail(in: metadata.exif ?? Data()) != nil)
        #expect(public1.withoutPrivateData == public1)
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
