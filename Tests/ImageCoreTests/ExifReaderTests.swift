import Foundation
import Testing

@testable import ImageCore

@Suite("Exif orientation")
struct ExifReaderTests {
    @Test("reads each of the eight values, in both byte orders, as SHORT and as LONG, with and without the Exif prefix")
    func readsEveryValue() {
        for orientation in ImageOrientation.allCases {
            for isLittleEndian in [true, false] {
                for type in [3, 4] {
                    let block = ExifBlock(isLittleEndian: isLittleEndian, type: type, value: orientation.rawValue)
                    #expect(ExifReader.orientation(in: block.tiff) == orientation)
                    #expect(ExifReader.orientation(in: Data("Exif\0\0".utf8) + block.tiff) == orientation)
                }
            }
        }
    }

    @Test("finds the tag in a slice whose indices do not start at zero")
    func readsSlice() {
        let file = Data([1, 2, 3]) + ExifBlock(value: 6).tiff
        #expect(ExifReader.orientation(in: file.dropFirst(3)) == .right)
    }

    @Test("the values of an entry are in its field or at its offset, and no directory is at the start of the file")
    func values() throws {
        // Two entries: four BYTEs in the field, and a RATIONAL at offset 38.
        let entries: [[UInt8]] = [[0, 1, 0, 1, 0, 0, 0, 4, 7, 8, 9, 10], [0, 2, 0, 5, 0, 0, 0, 1, 0, 0, 0, 38]]
        let file = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2] + entries.joined() + [0, 0, 0, 0] + (0..<8))
        let tiff = try #require(TIFFReader(file))
        let directory = try #require(tiff.firstDirectory)
        #expect(
            tiff.entries(of: directory).map { tiff.bytes(of: $0).map { Array($0) } } == [[7, 8, 9, 10], Array(0..<8)])
        #expect(
            tiff.directory(after: directory) == nil && tiff.entries(of: directory).map(tiff.integer(of:)) == [nil, nil])
    }

    @Test("finds the tag after other tags")
    func skipsOtherTags() {
        #expect(ExifReader.orientation(in: ExifBlock(value: 8, entriesBefore: 3).tiff) == .left)
    }

    @Test("ignores values outside 1 to 8", arguments: [0, 9, 0xFFFF])
    func refusesOtherValues(value: Int) {
        #expect(ExifReader.orientation(in: ExifBlock(value: value).tiff) == nil)
    }

    @Test("ignores other types and counts", arguments: [(1, 1), (2, 1), (5, 1), (3, 0), (3, 2)])
    func refusesOtherTypes(type: Int, count: Int) {
        #expect(ExifReader.orientation(in: ExifBlock(type: type, count: count, value: 6).tiff) == nil)
    }

    @Test("returns nil for a truncated block without the whole value")
    func toleratesTruncation() {
        let whole = ExifBlock(value: 6).tiff
        let needed = 8 + 2 + 10  // header, entry count, the entry up to its SHORT
        for length in 0..<whole.count {
            #expect(ExifReader.orientation(in: whole.prefix(length)) == (length < needed ? nil : .right))
        }
    }

    @Test("returns nil if the directory or the entry count exceeds the data")
    func toleratesWildOffsets() {
        var far = ExifBlock(isLittleEndian: false, value: 6).tiff
        far.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xF0])
        #expect(ExifReader.orientation(in: far) == nil)
        var many = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF])
        many.append(Data(count: 24))
        #expect(ExifReader.orientation(in: many) == nil)
    }

    @Test("returns nil for an unknown byte order")
    func refusesByteOrder() {
        var block = ExifBlock(value: 6).tiff
        block.replaceSubrange(0..<2, with: [0x58, 0x58])
        #expect(ExifReader.orientation(in: block) == nil)
        #expect(ExifReader.orientation(in: Data()) == nil)
    }
}

/// A TIFF file with one directory whose last entry is the orientation.
private struct ExifBlock {
    var isLittleEndian = true
    var type = 3
    var count = 1
    var value: Int
    var entriesBefore = 0

    var tiff: Data {
        var data = isLittleEndian ? Data([0x49, 0x49]) : Data([0x4D, 0x4D])
        data += uint16(42) + uint32(8) + uint16(entriesBefore + 1)
        for index in 0..<entriesBefore { data += uint16(0x100 + index) + uint16(3) + uint32(1) + uint32(0) }
        data += uint16(0x0112) + uint16(type) + uint32(count)
        data += type == 4 ? uint32(value) : uint16(value) + uint16(0)
        return data + uint32(0)
    }

    private func uint16(_ value: Int) -> Data {
        let bytes = Data([UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)])
        return isLittleEndian ? bytes : Data(bytes.reversed())
    }

    private func uint32(_ value: Int) -> Data {
        let low = uint16(value & 0xFFFF)
        let high = uint16(value >> 16 & 0xFFFF)
        return isLittleEndian ? low + high : high + low
    }
}
