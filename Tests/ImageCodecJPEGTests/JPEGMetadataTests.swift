import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("JPEG metadata")
struct JPEGMetadataTests {
    private static let gray = FlatJPEG(width: 24, height: 8, components: [.init(level: 128)])

    private func file(_ segments: (marker: UInt8, bytes: [UInt8])...) -> Data {
        var file = Self.gray
        file.segments = segments
        return file.data
    }

    private func exif(_ orientation: UInt8) -> (marker: UInt8, bytes: [UInt8]) {
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        return (0xE1, Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry)
    }

    @Test("the header has the format, the size and the orientation", arguments: ImageOrientation.allCases)
    func orientation(_ orientation: ImageOrientation) throws {
        let found = try jpeg.header(of: file(exif(UInt8(orientation.rawValue))))
        #expect(
            found
                == ImageHeader(
                    format: .jpeg, storedSize: PixelSize(width: 24, height: 8), orientation: orientation))
    }

    @Test("a file starts with two markers")
    func signature() {
        #expect(JPEGDecoder().recognizes(Data([0xFF, 0xD8, 0xFF])))
        #expect(!JPEGDecoder().recognizes(Data([0xFF, 0xD8, 0])))
        let gif = Data("GIF89a".utf8)
        #expect(jpeg.failure(gif) == .malformed(.jpeg, "the start-of-image marker is missing"))
    }

    @Test("rows are delivered in stored orientation")
    func rowsAreStored() throws {
        let image = try JPEGDecoder().open(file(exif(6)), limits: .default)
        let sink = CollectingRowSink()
        try image.decode(frame: 0, size: image.header.storedSize, layout: .rgba8, into: sink)
        #expect(sink.rows.map(\.count) == [Int](repeating: 24 * 4, count: 8))
    }

    private static let xmp: (marker: UInt8, bytes: [UInt8]) = (0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + [0])

    @Test("the first Exif segment is read, other APP1 segments are ignored")
    func firstExif() throws {
        #expect(try jpeg.header(of: file(Self.xmp, exif(3), exif(6))).orientation == .down)
        #expect(try jpeg.header(of: file(exif(1), exif(6))).orientation == .up)
        #expect(try jpeg.header(of: file(exif(9))).orientation == .up)
    }

    /// Segments without an orientation: empty, without a directory, with an empty one, damaged, invalid, and of XMP.
    private static let withoutOrientation: [(marker: UInt8, bytes: [UInt8])] = [
        (0xE1, []), (0xE1, Array("Exif".utf8)), (0xE1, Array("Exif".utf8) + [0, 0]),
        (0xE1, Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0, 8, 0, 0, 0]),
        (0xE1, Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (0xE1, Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0, 0xFF, 0xFF, 0, 0, 1, 0]),
        (0xE1, Array("Exif".utf8) + [UInt8](repeating: 0, count: 40)), xmp,
    ]

    @Test("an Exif segment without an orientation does not hide the next one")
    func exifAfterEmptyOne() throws {
        let real = exif(6)
        let all = Self.withoutOrientation + [exif(9), (0xE1, Array(exif(3).bytes.dropLast(3)))]
        for segments in all.map({ [$0, real] }) + [all + [real, exif(3)]] {
            var file = Self.gray
            file.segments = segments
            let found = try jpeg.header(of: file.data)
            #expect(found.orientation == .right, "\(segments)")
            let image = JPEGDecoder().makeIncrementalImage(limits: .default)
            for byte in file.data { try image.append(Data([byte])) }
            #expect(image.header == found)
        }
    }

    @Test("only the first Exif segments are kept")
    func manyExifSegments() throws {
        var file = Self.gray
        file.segments = [(marker: UInt8, bytes: [UInt8])](repeating: exif(9), count: 15) + [exif(6)]
        #expect(try jpeg.header(of: file.data).orientation == .right)
        file.segments.insert(exif(9), at: 0)
        #expect(try jpeg.header(of: file.data).orientation == .up)
        file.segments = [(marker: UInt8, bytes: [UInt8])](repeating: Self.xmp, count: 16) + [exif(6)]
        #expect(try jpeg.header(of: file.data).orientation == .right)
    }

    @Test("a profile is joined from its chunks in numbered order")
    func profile() throws {
        #expect(try jpeg.header(of: file()).colorProfile == nil)
        #expect(try jpeg.header(of: file(iccSegment([5, 6]))).colorProfile == Data([5, 6]))
        let inOrder = file(iccSegment([1, 2], number: 1, of: 2), iccSegment([3], number: 2, of: 2))
        #expect(try jpeg.header(of: inOrder).colorProfile == Data([1, 2, 3]))
        let reversed = file(iccSegment([3], number: 2, of: 2), iccSegment([1, 2], number: 1, of: 2))
        #expect(try jpeg.header(of: reversed).colorProfile == Data([1, 2, 3]))
    }

    @Test("a profile with missing, repeated or misnumbered chunks is ignored")
    func brokenProfile() throws {
        let files = [
            file(iccSegment([1], number: 1, of: 2)),
            file(
                iccSegment([1], number: 1, of: 2), iccSegment([1], number: 1, of: 2),
                iccSegment([2], number: 2, of: 2)),
            file(iccSegment([1], number: 1, of: 2), iccSegment([2], number: 2, of: 3)),
            file(iccSegment([1], number: 0, of: 1)),
            file(iccSegment([1], number: 0, of: 1), iccSegment([1], number: 1, of: 1)),
            file(iccSegment([1], number: 2, of: 1)),
            file(iccSegment([], number: 1, of: 1)),
            file((0xE2, Array("ICC_PROFILE".utf8) + [0, 1])),
        ]
        for file in files {
            #expect(try jpeg.header(of: file).colorProfile == nil)
            #expect(jpeg.failure(file) == nil)
        }
    }

    @Test("a gain map is reported, by the XMP of Ultra HDR or the metadata of ISO 21496-1")
    func gainMap() throws {
        func hasGainMap(_ marker: UInt8, _ text: String) throws -> Bool {
            try jpeg.header(of: file((marker, Array(text.utf8)))).hasGainMap
        }
        let xmp = "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:hdrgm="
        #expect(try hasGainMap(0xE1, xmp + "\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\"/>"))
        #expect(try hasGainMap(0xE2, "urn:iso:std:iso:ts:21496:-1\0\0\0\0\0"))
        #expect(try !hasGainMap(0xE1, xmp + "\"http://ns.adobe.com/hdr-gain-map/1.0\"/>"))
        #expect(try !hasGainMap(0xE1, "http://ns.adobe.com/hdr-gain-map/1.0/"))
        #expect(try !hasGainMap(0xE2, "urn:iso:std:iso:ts:21496:-1"))
        #expect(try !jpeg.header(of: file()).hasGainMap)
    }

    @Test("a gain map is reported if only the XMP of another image in the file names it, as in photographs of iPhones")
    func gainMapOfAnotherImage() throws {
        /// A multi-picture index with an entry for each offset, which is that from the byte order.
        func index(_ offsets: [Int], littleEndian: Bool = false) -> [UInt8] {
            func number(_ value: Int, _ length: Int) -> [UInt8] {
                let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return littleEndian ? bytes : bytes.reversed()
            }
            let order: [UInt8] = littleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
            let first = number(0xB000, 2) + number(7, 2) + number(4, 4) + Array("0100".utf8)
            let entry = number(0xB002, 2) + number(7, 2) + number(16 * offsets.count, 4) + number(38, 4)
            let images = offsets.flatMap { number(0, 8) + number($0, 4) + number(0, 4) }
            return Array("MPF\0".utf8) + order + number(42, 2) + number(8, 4) + number(2, 2) + first + entry
                + number(0, 4) + images
        }
        let second = file((0xE1, Array("http://ns.adobe.com/xap/1.0/\0urn:com:apple:photo:2020:aux:hdrgainmap".utf8)))
        for littleEndian in [false, true] {
            // The index follows the start of the image, its marker and its length.
            let offset = file((0xE2, index([0, 0]))).count - 10
            func hasGainMap(_ offsets: [Int], _ other: Data) throws -> Bool {
                try jpeg.header(of: file((0xE2, index(offsets, littleEndian: littleEndian))) + other).hasGainMap
            }
            #expect(try hasGainMap([0, offset], second) && !hasGainMap([0, offset], file()))
            #expect(try !hasGainMap([0, 0], second) && !hasGainMap([0, offset + second.count], second))
            let whole = index([0, offset], littleEndian: littleEndian)
            // A file has one index. Reading others would take longer than the file is long.
            #expect(try !jpeg.header(of: file((0xE2, index([0, 0])), (0xE2, whole)) + second).hasGainMap)
            for length in 0..<whole.count {
                _ = try jpeg.header(of: file((0xE2, Array(whole.prefix(length)))) + second)
            }
        }
    }

    @Test("metadata above the limit is ignored, and the image is decoded")
    func metadataLimit() throws {
        let data = file(exif(6), iccSegment([UInt8](repeating: 9, count: 100)))
        let within = try jpeg.header(of: data, limits: DecodingLimits(metadataByteLimit: 100))
        #expect(within.colorProfile?.count == 100)
        let beyond = try jpeg.header(of: data, limits: DecodingLimits(metadataByteLimit: 99))
        #expect(beyond.colorProfile == nil)
        #expect(beyond.orientation == .right)
        #expect(try jpeg.header(of: data, limits: DecodingLimits(metadataByteLimit: 28)).orientation == .right)
        #expect(try jpeg.header(of: data, limits: DecodingLimits(metadataByteLimit: 27)).orientation == .up)
        #expect(jpeg.failure(data, limits: DecodingLimits(metadataByteLimit: 0)) == nil)
        for bytes in [-1, 0, 27, 28, 99, 100] {
            let limits = DecodingLimits(metadataByteLimit: bytes)
            let stream = JPEGDecoder().makeIncrementalImage(limits: limits)
            try stream.append(data)
            #expect(try stream.header == jpeg.header(of: data, limits: limits), "\(bytes) bytes")
        }
    }

    @Test("fill bytes before a marker and bytes after the end are ignored")
    func fillBytes() throws {
        let plain = file()
        let filled = plain.prefix(2) + Data([0xFF, 0xFF, 0xFF]) + plain.dropFirst(3) + Data([1, 2, 3]) + plain
        #expect(try jpeg.pixels(filled) == jpeg.pixels(plain))
    }

    @Test("the Exif thumbnail is a complete file, and ignored if the Exif data is above the limit")
    func embeddedThumbnail() throws {
        let small = FlatJPEG(width: 8, height: 8, components: [.init(level: 60)]).data
        let entries: [UInt8] =
            [0x01, 0x02, 4, 0, 1, 0, 0, 0, 44, 0, 0, 0, 0x02, 0x02, 4, 0, 1, 0, 0, 0]
            + [UInt8(small.count & 0xFF), UInt8(small.count >> 8), 0, 0]
        let tiff = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 14, 0, 0, 0, 2, 0] + entries + [0, 0, 0, 0] + small
        let segment: (UInt8, [UInt8]) = (0xE1, Array("Exif".utf8) + [0, 0] + tiff)
        let data = file(segment)
        let found = try JPEGDecoder().open(data, limits: .default).embeddedThumbnail
        #expect(try JPEGDecoder().open(file(exif(3), segment), limits: .default).embeddedThumbnail == found)
        #expect(try jpeg.pixels(#require(found)).prefix(4) == [60, 60, 60, 255])
        let limits = DecodingLimits(metadataByteLimit: tiff.count + 5)
        #expect(try JPEGDecoder().open(data, limits: limits).embeddedThumbnail == nil)
        #expect(try JPEGDecoder().open(file(exif(3)), limits: .default).embeddedThumbnail == nil)
    }
}
