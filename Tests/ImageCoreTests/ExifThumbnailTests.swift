import Foundation
import ImageCore
import Testing

@Suite("Exif thumbnails")
struct ExifThumbnailTests {
    private static let image = Data([0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9])

    @Test("finds the thumbnail by the second directory, in both byte orders, with and without the Exif prefix")
    func found() {
        for isLittleEndian in [true, false] {
            let block = ThumbnailBlock(isLittleEndian: isLittleEndian).tiff
            #expect(ExifReader.thumbnail(in: block) == Self.image)
            #expect(ExifReader.thumbnail(in: Data("Exif\0\0".utf8) + block) == Self.image)
            #expect(ExifReader.thumbnail(in: (Data([1, 2, 3]) + block).dropFirst(3)) == Self.image)
        }
    }

    @Test("accepts a length of type SHORT")
    func shortLength() {
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(lengthType: 3).tiff) == Self.image)
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(lengthType: 2).tiff) == nil)
    }

    @Test("returns nil if the data does not start with a JPEG signature")
    func otherFormat() {
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(image: Data([0xFF, 0xD9, 1, 2])).tiff) == nil)
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(image: Data()).tiff) == nil)
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(image: Data([0xFF])).tiff) == nil)
    }

    @Test("returns nil for a block that is truncated anywhere")
    func cut() {
        let whole = ThumbnailBlock().tiff
        for count in 0..<whole.count { #expect(ExifReader.thumbnail(in: whole.prefix(count)) == nil, "\(count) bytes") }
    }

    @Test(
        "returns nil if offset and length exceed the block",
        arguments: [(0xFFFF_FFFF, 7), (0xFFFF_FFF0, 0xFFFF_FFFF), (70, 0xFFFF_FFFF), (0, 7), (10_000, 7)])
    func wild(offset: Int, length: Int) {
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(offset: offset, length: length).tiff) == nil)
    }

    @Test(
        "returns nil without a second directory, or if its offset exceeds the block", arguments: [0, 0xFFFF_FFFF, 4000])
    func noDirectory(offset: Int) {
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(secondDirectory: offset).tiff) == nil)
    }

    @Test("returns nil for a directory that refers to itself, and for counts that exceed the data")
    func loops() {
        // The first directory, used as the second, has no such entries.
        #expect(ExifReader.thumbnail(in: ThumbnailBlock(secondDirectory: 8).tiff) == nil)
        var many = ThumbnailBlock().tiff
        many.replaceSubrange(8..<10, with: [0xFF, 0xFF])
        #expect(ExifReader.thumbnail(in: many) == nil)
    }

    @Test("returns a JPEG file or nil if any byte is damaged")
    func flips() {
        let whole = ThumbnailBlock().tiff
        for index in whole.indices {
            for mask in [UInt8(0x01), 0x80, 0xFF] {
                var damaged = whole
                damaged[index] ^= mask
                #expect(ExifReader.thumbnail(in: damaged)?.starts(with: [0xFF, 0xD8]) ?? true)
            }
        }
    }
}

/// A TIFF file with two directories, the second of which refers to a thumbnail.
private struct ThumbnailBlock {
    var isLittleEndian = true
    var lengthType = 4
    var image = Data([0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9])
    var secondDirectory = 26
    /// Values in the entries that replace the correct ones.
    var offset: Int?
    var length: Int?

    var tiff: Data {
        var data = isLittleEndian ? Data([0x49, 0x49]) : Data([0x4D, 0x4D])
        data += integer(42, 2) + integer(8, 4)
        data += integer(1, 2) + integer(0x0112, 2) + integer(3, 2) + integer(1, 4) + integer(6, 2) + integer(0, 2)
        data += integer(secondDirectory, 4)
        data += integer(2, 2)
        data += integer(0x0201, 2) + integer(4, 2) + integer(1, 4) + integer(offset ?? 56, 4)
        let size = length ?? image.count
        data += integer(0x0202, 2) + integer(lengthType, 2) + integer(1, 4)
        data += lengthType == 3 ? integer(size, 2) + integer(0, 2) : integer(size, 4)
        return data + integer(0, 4) + image
    }

    private func integer(_ value: Int, _ count: Int) -> Data {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        return isLittleEndian ? bytes : Data(bytes.reversed())
    }
}
