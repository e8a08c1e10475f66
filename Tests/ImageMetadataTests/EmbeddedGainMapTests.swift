import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import ImageMetadata

@Suite("Gain maps of JPEG files") struct EmbeddedGainMapTests {
    private static let decoder = DownsamplingDecoder.standard(.all)
    private static let kinds: [Set<String>] = [["ultraHDR"], ["iso21496"], ["apple"], ["ultraHDR", "iso21496"]]

    private func image(exif: Data? = nil, xmp: Data? = nil) throws -> Data {
        let file = try JPEGFile(GainMapJPEG([]).data).onlyImage.data
        return try EmbeddedMetadata(exif: exif, xmp: xmp).embedded(in: file)
    }

    @Test("a map is found with its kind, and is carried to another file exactly", arguments: kinds)
    func carried(names: Set<String>) throws {
        let photo = try GainMapJPEG(names).data
        let map = try #require(EmbeddedGainMap(of: photo))
        #expect(Set(map.kinds.map(\.rawValue)) == names)
        #expect(try Self.decoder.header(of: map.file).size == PixelSize(width: 80, height: 60))
        let result = try map.embedded(in: image())
        #expect(try Self.decoder.header(of: result).hasGainMap)
        #expect(EmbeddedGainMap(of: result) == map)
        #expect(try Self.decoder.decode(result).bitmap == Self.decoder.decode(photo).bitmap)
    }

    @Test("sizes and offsets say where the map is, in the list of images and in XMP")
    func sizes() throws {
        let map = try #require(EmbeddedGainMap(of: GainMapJPEG(["ultraHDR", "iso21496"]).data))
        let xmp = Data(#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="rdf#"/><r:RDF></r:RDF></x:xmpmeta>"#.utf8)
        for packet in [nil, xmp] {
            let file = try map.embedded(in: image(exif: TestExif().data, xmp: packet))
            #expect(file.suffix(map.file.count) == map.file)
            #expect(file.firstRange(of: Data("Item:Length=\"\(map.file.count)\"".utf8)) != nil)
            let start = try #require(file.firstRange(of: Data("MPF\0".utf8))).upperBound
            #expect(file.firstRange(of: Data([0xB0, 0, 0, 7, 0, 0, 0, 4]) + Data("0100".utf8)) != nil)
            let numbers = (0..<8).map { file.bigEndian(at: start + 50 + 4 * $0, 4) }
            let first = file.count - map.file.count
            #expect(numbers == [0x03_0000, first, 0, 0, 0, map.file.count, first - start, 0])
            let header = try Self.decoder.header(of: file)
            #expect(header.orientation.rawValue == 6)
            let markers = try JPEGFile(file).segments.map(\.marker)
            #expect(markers.prefix { 0xE0...0xEF ~= $0 }.count == markers.count { 0xE0...0xEF ~= $0 })
        }
    }

    @Test("other pixels get the metadata of the map, and lose their own")
    func pixels() throws {
        var source = GainMapJPEG(["ultraHDR", "iso21496"])
        #expect(try EmbeddedGainMap(of: source.data)?.isGray == true)
        source.isRGB = true
        let map = try #require(EmbeddedGainMap(of: source.data))
        #expect(!map.isGray)
        let profile = EmbeddedMetadata(icc: ColorSpace.displayP3.profile)
        let other = try profile.embedded(in: image(exif: TestExif().data))
        let changed = try JPEGFile(map.replacingPixels(with: other).file)
        #expect(!changed.hasProfile)
        #expect(try JPEGFile(image()).gainMap(describedBy: JPEGFile(other).gainMapDescription).hasProfile)
        #expect(changed.metadata == EmbeddedMetadata(xmp: Data(source.mapXMP.utf8)))
        #expect(changed.segments.filter(\.isISOGainMap).map(\.body) == [GainMapJPEG.block])
        #expect(throws: ImageDecodingError.malformed(.jpeg, "no JPEG file")) {
            try map.replacingPixels(with: Data("text".utf8))
        }
    }

    @Test("components are counted in the header of the frame, whatever is before it")
    func components() throws {
        let tables = [0xC4, 0xC8, 0xCC].map { JPEGFile.Segment(marker: $0, body: Data(count: 5) + [9]) }
        for marker: UInt8 in [0xC0, 0xC1, 0xC2, 0xC9, 0xCF] {
            var file = try JPEGFile(image())
            file.segments = tables
            #expect(file.componentCount == nil)
            file.segments.append(JPEGFile.Segment(marker: marker, body: Data(count: 5) + [3]))
            #expect(file.componentCount == 3)
        }
    }

    @Test("a file that has more than an image, or no space or brightness for the map, gets none")
    func refused() throws {
        let photo = try GainMapJPEG(["ultraHDR"]).data
        let map = try #require(EmbeddedGainMap(of: photo))
        #expect(throws: ImageDecodingError.malformed(.jpeg, "more than an image")) { try map.embedded(in: photo) }
        let declared = JPEGFile.Segment(marker: 0xE2, body: EmbeddedGainMap.identifier + Data(count: 4))
        var file = try JPEGFile(image())
        file.append(declared)
        #expect(try JPEGFile(map.embedded(in: file.data)).segments.allSatisfy { !$0.isISOGainMap })
        let long = Data("<x:RDF>\(String(repeating: " ", count: 65_000))</x:RDF>".utf8)
        #expect(throws: ImageDecodingError.unsupported(.jpeg, "a gain map without space in XMP")) {
            try map.embedded(in: image(xmp: long))
        }
        #expect(try map.embeddedIfPossible(in: image(xmp: long)) == image(xmp: long))
        var apple = try GainMapJPEG(["apple"]).data
        let range = try #require(apple.firstRange(of: Data("HDRGainMapHeadroom".utf8)))
        apple.replaceSubrange(range, with: Data("HDRGainMapHeadr00m".utf8))
        let old = try #require(EmbeddedGainMap(of: apple))
        #expect(throws: ImageDecodingError.self) { try old.embedded(in: image()) }
        #expect(try EmbeddedGainMap(of: old.embedded(in: image(exif: TestExif().data))) == old)
    }

    @Test("the versions of a file, and the profile of a map, are kept; decoders get a map without it")
    func kept() throws {
        var photo = try GainMapJPEG(["iso21496"]).data
        let start = try #require(photo.firstRange(of: EmbeddedGainMap.identifier)).upperBound
        photo[start + 3] = 1
        let result = try #require(EmbeddedGainMap(of: photo)).embedded(in: image())
        #expect(result.firstRange(of: EmbeddedGainMap.identifier + [0, 0, 0, 1]) != nil)
        let file = try EmbeddedMetadata(icc: ColorSpace.displayP3.profile).embedded(in: image())
        let segment = JPEGFile.Segment(marker: 0xE2, body: GainMapJPEG.block)
        let map = EmbeddedGainMap(.iso21496, file: file, isGray: false, description: segment)
        #expect(try JPEGFile(map.file).hasProfile && !JPEGFile(map.fileWithoutColor()).hasProfile)
    }

    @Test("a map is found after another image")
    func notFirst() throws {
        let map = try #require(EmbeddedGainMap(of: GainMapJPEG(["ultraHDR"]).data))
        let other = try image()
        func file(_ numbers: [Int]) throws -> Data {
            var list =
                Data("MPF\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0xB0, 2, 0, 7, 0, 0, 0, 48, 0, 0, 0, 26, 0, 0, 0, 0]
            for number in numbers { list.append(bigEndian: UInt32(number)) }
            var file = try JPEGFile(other)
            file.append(JPEGFile.Segment(marker: 0xE2, body: list))
            return file.data
        }
        let first = try file([Int](repeating: 0, count: 12))
        let offset = first.count - (try #require(first.firstRange(of: Data("MPF\0".utf8))).upperBound)
        let numbers = [
            0, first.count, 0, 0, 0, other.count, offset, 0, 0, map.file.count, offset + other.count, 0,
        ]
        #expect(try EmbeddedGainMap(of: file(numbers) + other + map.file) == map)
    }

    @Test("how a file declares its map is told for each format")
    func declared() throws {
        func kinds(_ file: Data, _ format: ImageFormat, hasGainMap: Bool = true) -> Set<EmbeddedGainMap.Kind> {
            var header = ImageHeader(format: format, storedSize: PixelSize(width: 1, height: 1))
            header.hasGainMap = hasGainMap
            return EmbeddedGainMap.kinds(in: file, header: header)
        }
        let photo = try GainMapJPEG(["ultraHDR", "iso21496"]).data
        #expect(kinds(photo, .jpeg) == [.ultraHDR, .iso21496] && kinds(photo, .jpeg, hasGainMap: false) == [])
        #expect(kinds(Data(), .jpegXL) == [.iso21496] && kinds(Data(), .png) == [])
    }

    @Test("a file with more images than a gain map is told apart from one without")
    func alone() throws {
        let photo = try GainMapJPEG(["ultraHDR"]).data
        #expect(EmbeddedGainMap(of: photo, isAlone: true) != nil)
        #expect(EmbeddedGainMap(of: photo + Data("film".utf8), isAlone: true) == nil)
        #expect(EmbeddedGainMap(of: photo + Data("film".utf8)) == EmbeddedGainMap(of: photo))
        #expect(try EmbeddedGainMap(of: image()) == nil)
    }

    @Test("damaged lists of images have no map, or another one, and end")
    func damaged() throws {
        let photo = try GainMapJPEG(["ultraHDR"]).data
        let start = try #require(photo.firstRange(of: Data("MPF\0".utf8))).lowerBound
        for offset in start..<start + 86 {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var file = photo
                file[offset] = value
                if let map = EmbeddedGainMap(of: file) { #expect(map.kinds == [.ultraHDR]) }
            }
        }
        #expect(EmbeddedGainMap(of: photo.prefix(start + 40)) == nil)
        #expect(EmbeddedGainMap(of: photo.dropLast(1)) == nil)
        #expect(EmbeddedGainMap(of: Data(count: 3) + photo) == nil)
        #expect(EmbeddedGainMap(of: (Data(count: 3) + photo).dropFirst(3)) == EmbeddedGainMap(of: photo))
    }

    @Test("XMP that only declares a gain map is none that can be lost")
    func declaration() throws {
        let photo = try GainMapJPEG(["ultraHDR"]).data
        let header = try Self.decoder.header(of: photo)
        #expect(ConversionLoss.possible(in: photo, header: header) == [.gainMap])
        let map = try #require(EmbeddedGainMap(of: photo))
        let title = #"<r:RDF><r:Description xmlns:dc="dc#" dc:title="A"></r:Description></r:RDF>"#
        let titled = try map.embedded(in: image(xmp: Data(title.utf8)))
        #expect(ConversionLoss.possible(in: titled, header: header) == [.gainMap, .xmp])
    }
}
