import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import GeneratedImages
@testable import ImageMetadata

@Suite("Metadata in files") struct FileTests {
    private static let metadata = EmbeddedMetadata(
        exif: TestExif().data,
        // With padding, as writers leave it. AVIF and HEIC keep the space that it had.
        xmp: Data(
            "<x xmp:Rating=\"5\"><dc:rights>(c) Ann</dc:rights><Iptc4xmpCore:City>Paris</Iptc4xmpCore:City></x>".utf8)
            + Data(repeating: 0x20, count: 500),
        iptc: Data([0x1C, 2, 90, 0, 5]) + Data("Paris".utf8) + [0x1C, 2, 80, 0, 3] + Data("Ann".utf8))

    /// Still images of this build without metadata.
    private static let files = try? GeneratedImage.all().filter { image in
        !EmbeddedMetadata.blocks(writtenTo: image.format).isEmpty && EmbeddedMetadata(of: image.data).blocks.isEmpty
            && (try? decoder.decode(image.data)) != nil && (try? decoder.header(of: image.data).frameCount) == 1
    }

    private static let decoder = DownsamplingDecoder(decoders: .all, limits: .default)

    private func pixels(_ file: Data) throws -> Bitmap { try Self.decoder.decode(file).bitmap }

    private func contains(_ data: Data, _ text: String) -> Bool { data.firstRange(of: Data(text.utf8)) != nil }

    @Test("what is embedded is read back, and replaced")
    func embedded() throws {
        let files = try #require(Self.files)
        #expect(Set(files.map(\.format)).isSuperset(of: [.jpeg, .png, .webP]))
        for image in files {
            let file = try Self.metadata.embedded(in: image.data)
            let expected = Self.metadata.keeping(EmbeddedMetadata.blocks(writtenTo: image.format))
            #expect(EmbeddedMetadata(of: file) == expected, "\(image)")
            let rights = try Self.metadata.rights.embedded(in: file)
            #expect(EmbeddedMetadata(of: rights).location == nil && !contains(rights, "Paris"), "\(image)")
            #expect(EmbeddedMetadata(of: rights).creator == "Ann", "\(image)")
            let none = try EmbeddedMetadata().embedded(in: file)
            if image.format == .webP, !image.data.prefix(20).contains(0x58) { #expect(none == image.data, "\(image)") }
            #expect(EmbeddedMetadata(of: none) == EmbeddedMetadata() && !contains(none, "Ann"), "\(image)")
        }
    }

    @Test("the name of a profile ends at a zero")
    func profileName() throws {
        var profile = try #require(ColorSpace.displayP3.profile)
        let digit = try #require(profile.firstRange(of: Data([0, 0x50, 0, 0x33]))).upperBound - 1
        profile[digit] = 0
        #expect(EmbeddedMetadata(icc: profile).colorProfileName == "Display P")
        // In version 2 of ICC, a text has its length (6.5.17), and ends at a zero too.
        var old = Data(count: 128)
        for number: UInt32 in [1, 0x6465_7363, 144, 20, 0x6465_7363, 0, 8] { old.append(bigEndian: number) }
        old += Data("sRGB\0abc".utf8)
        #expect(EmbeddedMetadata(icc: old).colorProfileName == "sRGB")
    }

    @Test("an ICC profile is embedded in JPEG, PNG and WebP, and stays if there is no other")
    func profiles() throws {
        let profile = try #require(ColorSpace.displayP3.profile)
        for image in try #require(Self.files) where [.jpeg, .png, .webP].contains(image.format) {
            // A profile for RGB fits no gray.
            let isGray = image.format == .png && image.data[25] & 2 == 0
            guard try !isGray && Self.decoder.header(of: image.data).nativeLayout == .rgba8 else { continue }
            var file = try EmbeddedMetadata(icc: profile).embedded(in: image.data)
            let header = try Self.decoder.header(of: file)
            #expect(header.colorProfile == profile, "\(image)")
            #expect(EmbeddedMetadata(of: file, header: header).colorProfileName == "Display P3")
            file = try EmbeddedMetadata.removingPrivateData(from: Self.metadata.embedded(in: file))
            #expect(try Self.decoder.header(of: file).colorProfile == profile, "\(image)")
        }
    }

    @Test("without private data, a file has the same pixels and nothing that tells of persons and places")
    func privateData() throws {
        for image in try #require(Self.files) {
            let file = try Self.metadata.embedded(in: image.data)
            let stripped = try EmbeddedMetadata.removingPrivateData(from: file)
            for text in ["Paris", "MakerNote", "S12345", "Caption", "Rating"] {
                #expect(contains(file, text) && !contains(stripped, text), "\(text) in \(image)")
            }
            let kept = EmbeddedMetadata(of: stripped)
            #expect(kept.location == nil && kept.creator == "Ann" && kept.captureDate != nil, "\(image)")
            #expect(try pixels(stripped) == pixels(file), "\(image)")
        }
    }

    @Test("each format has its blocks")
    func blocks() {
        let colored: Set<EmbeddedMetadata.Block> = [.exif, .icc, .xmp]
        for (format, blocks) in [
            (.jpeg, [.exif, .icc, .iptc, .xmp]), (.png, colored), (.webP, colored), (.avif, [.exif, .xmp]),
            (.heic, [.exif, .xmp]), (.jpegXL, [.exif, .xmp]), (.gif, []),
        ] as [(ImageFormat, Set<EmbeddedMetadata.Block>)] {
            #expect(EmbeddedMetadata.blocks(writtenTo: format) == blocks, "\(format)")
        }
    }

    @Test("a profile replaces another one, and may be compressed already")
    func otherProfiles() throws {
        let profile = try #require(ColorSpace.displayP3.profile)
        for image in try #require(Self.files) where [.jpeg, .png, .webP].contains(image.format) {
            let isGray = image.format == .png && image.data[25] & 2 == 0
            guard try !isGray && Self.decoder.header(of: image.data).nativeLayout == .rgba8 else { continue }
            let old = EmbeddedMetadata(icc: Data(RawPNG.profile(space: "RGB ")))
            let file = try EmbeddedMetadata(icc: profile).embedded(in: old.embedded(in: image.data))
            #expect(try Self.decoder.header(of: file).colorProfile == profile, "\(image)")
            guard image.format == .png else { continue }
            var png = try PNGFile(image.data)
            png.chunks.insert(PNGFile.Chunk(type: "sRGB", body: Data([0])), at: 1)
            png.chunks.insert(PNGFile.Chunk(type: "tEXt", body: Data("Raw profile type exif\0".utf8)), at: 1)
            let compressed = ZlibStream.stored(profile)
            let result = try EmbeddedMetadata().embedded(in: png.data, compressedProfile: compressed)
            #expect(try Self.decoder.header(of: result).colorProfile == profile)
            #expect(try PNGFile(result).chunks.allSatisfy { !["sRGB", "tEXt"].contains($0.type) })
        }
        let stored = ZlibStream.stored(Data(count: 65_536))
        #expect(stored[2] == 0 && stored[2 + 5 + 65_535] == 1 && stored.count == 65_536 + 16)
        #expect(ZlibStream.stored(Data([1, 2])).suffix(4) == Data([0, 6, 0, 4]))
        let largest = 255 * 65_519
        let jpeg = try JPEGFile(#require(Self.files?.first { $0.format == .jpeg }).data)
        #expect(jpeg.replacing(EmbeddedMetadata(icc: Data(count: largest))).hasProfile)
        #expect(!jpeg.replacing(EmbeddedMetadata(icc: Data(count: largest + 1))).hasProfile)
    }

    @Test("segments of JPEG are read after fill bytes, written after JFIF up to the largest, and limited")
    func segments() throws {
        let image = try #require(Self.files?.first { $0.format == .jpeg && $0.data[3] == 0xE0 }).data
        let filled = image.prefix(2) + [0xFF, 0xFF] + image.dropFirst(2)
        #expect(try JPEGFile(filled).data == image && JPEGFile(image + Data(count: 3)).isOnlyImage)
        for (length, isWritten) in [(65_527, true), (65_528, false)] {
            let file = try EmbeddedMetadata(exif: Data(count: length)).embedded(in: image)
            #expect((EmbeddedMetadata(of: file).exif?.count == length) == isWritten)
            #expect(try JPEGFile(file).segments.first?.marker == 0xE0)
        }
        var file = try JPEGFile(image)
        file.segments.insert(JPEGFile.Segment(marker: 0xEE, body: Data("Adobe".utf8)), at: 1)
        file.segments.insert(JPEGFile.Segment(marker: 0xE0, body: Data("JFXX Paris".utf8)), at: 1)
        #expect(try !contains(EmbeddedMetadata.removingPrivateData(from: file.data), "Paris"))
        #expect(file.onlyImage.segments.contains { $0.marker == 0xEE })
        let many = [JPEGFile.Segment](repeating: JPEGFile.Segment(marker: 0xFE, body: Data()), count: 10_001)
        file.segments = many
        #expect(throws: ImageDecodingError.malformed(.jpeg, "a segment is damaged")) { try JPEGFile(file.data) }
    }

    @Test("what follows a JPEG, its comments and its thumbnails are private")
    func jpeg() throws {
        let image = try #require(Self.files?.first { $0.format == .jpeg }).data
        var file = try JPEGFile(image)
        let jfif = Data("JFIF\0\u{1}\u{1}\0\0\u{1}\0\u{1}".utf8) + [1, 1, 80, 97, 114]
        file.segments = [JPEGFile.Segment(marker: 0xE0, body: jfif)] + file.segments.filter { $0.marker != 0xE0 }
        file.segments.append(JPEGFile.Segment(marker: 0xFE, body: Data("Paris".utf8)))
        file.segments.append(JPEGFile.Segment(marker: 0xE2, body: Data("MPF\0Paris".utf8)))
        let stripped = try EmbeddedMetadata.removingPrivateData(from: file.data + image + Data("Paris".utf8))
        #expect(!contains(stripped, "Par") && stripped.count <= image.count + 20)
        #expect(try JPEGFile(stripped).isOnlyImage && pixels(stripped) == pixels(image))
    }

    @Test("what applications and comments say between the scans of a JPEG is private")
    func betweenScans() throws {
        for image in try #require(Self.files).filter({ $0.format == .jpeg }).map(\.data) {
            let clean = try EmbeddedMetadata.removingPrivateData(from: image)
            #expect(clean.suffix(2) == Data([0xFF, 0xD9]))
            let scan = try #require(clean.firstRange(of: Data([0xFF, 0xDA]))).lowerBound
            let later = clean.dropFirst(scan + 2).firstRange(of: Data([0xFF, 0xDA]))?.lowerBound ?? clean.count - 2
            var file = clean
            for marker: UInt8 in [0xE1, 0xEF, 0xFE] {
                file.insert(contentsOf: [0xFF, marker, 0, 7] + Array("Paris".utf8), at: later)
            }
            #expect(try EmbeddedMetadata.removingPrivateData(from: file) == clean)
            let open = file.dropLast(2) + [0xFF, 0xFE]
            #expect(try EmbeddedMetadata.removingPrivateData(from: open) == clean.dropLast(2))
        }
    }

    @Test("texts and times of PNG, and unknown chunks of WebP, are private")
    func chunks() throws {
        let png = try #require(Self.files?.first { $0.format == .png }).data
        var file = try PNGFile(png)
        for type in ["tEXt", "tIME", "zTXt", "prVt"] {
            file.chunks.insert(PNGFile.Chunk(type: type, body: Data("Paris".utf8)), at: 1)
        }
        #expect(try EmbeddedMetadata.removingPrivateData(from: file.data + Data("Paris".utf8)) == png)
        file.chunks.insert(PNGFile.Chunk(type: "eXIf", body: ExifBlock.prefix + TestExif().data), at: 1)
        #expect(EmbeddedMetadata(of: file.data).exif == TestExif().data)
        file.chunks.insert(PNGFile.Chunk(type: "pHYs", body: Data(count: 9)), at: 1)
        #expect(try contains(EmbeddedMetadata.removingPrivateData(from: file.data), "pHYs"))
        let webP = try #require(Self.files?.first { $0.format == .webP }).data
        let unknown = Data("PRVT".utf8) + [5, 0, 0, 0] + Data("Paris\0".utf8)
        var longer = webP + unknown
        var length = Data()
        length.append(littleEndian: UInt32(longer.count - 8))
        longer.replaceSubrange(4..<8, with: length)
        #expect(try EmbeddedMetadata.removingPrivateData(from: longer) == EmbeddedMetadata().embedded(in: webP))
    }

    @Test("a WebP file without a whole image keeps its header, so that what removes private data can read it again")
    func headerWithoutImage() throws {
        func chunk(_ type: String, _ body: Data) -> Data {
            Data(type.utf8) + [UInt8(body.count), 0, 0, 0] + body
        }
        for rest in [chunk("ANIM", Data(count: 6)), chunk("VP8L", Data(count: 8)), chunk("VP8 ", Data(count: 10))] {
            let content = Data("WEBP".utf8) + chunk("VP8X", Data(count: 10)) + rest
            let file = Data("RIFF".utf8) + [UInt8(content.count), 0, 0, 0] + content
            let clean = try EmbeddedMetadata.removingPrivateData(from: file)
            #expect(try EmbeddedMetadata.removingPrivateData(from: clean) == clean)
        }
    }

    @Test("chunks of WebP are padded, end with the file and are declared")
    func webP() throws {
        let image = try #require(Self.files?.first { $0.format == .webP }).data
        let metadata = EmbeddedMetadata(exif: TestExif().data, xmp: Data("<a>".utf8), icc: Data([1]))
        var file = try metadata.embedded(in: image)
        #expect(file.firstRange(of: Data("VP8X".utf8)).map { file[$0.upperBound + 4] & 0x2C } == 0x2C)
        #expect(EmbeddedMetadata(of: file).xmp == metadata.xmp)
        let without = try EmbeddedMetadata(exif: metadata.exif).embedded(in: file)
        #expect(without.firstRange(of: Data("VP8X".utf8)).map { without[$0.upperBound + 4] & 0x2C } == 0x28)
        file += Data("EXIF".utf8) + [9, 0, 0, 0, 1]
        #expect(EmbeddedMetadata(of: file).exif == metadata.exif)
        // Lossless, 2 × 3 pixels, without and with alpha.
        for flag: UInt8 in [0, 0x10] {
            let bits: [UInt8] = [0x2F, 1, 0x80, 0, flag, 0, 0, 0, 0, 0]
            let content = Data("WEBPVP8L".utf8) + [10, 0, 0, 0] + bits
            let extended = try metadata.embedded(in: Data("RIFF".utf8) + [UInt8(content.count), 0, 0, 0] + content)
            let start = try #require(extended.firstRange(of: Data("VP8X".utf8))).upperBound + 4
            #expect(Array(extended[start..<start + 10]) == [0x2C | flag, 0, 0, 0, 1, 0, 0, 2, 0, 0])
        }
    }

    @Test("a PNG is animated with several frames, declared before its pixels, and its compressed XMP is none")
    func animated() throws {
        let image = try PNGFile(#require(Self.files?.first { $0.format == .png }).data)
        for count: UInt8 in [1, 2] {
            let control = PNGFile.Chunk(type: "acTL", body: Data([0, 0, 0, count, 0, 0, 0, 0]))
            for index in [1, image.chunks.count - 1] {
                var file = image
                file.chunks.insert(control, at: index)
                #expect(file.isAnimated == (count == 2 && index == 1))
            }
        }
        var file = image
        let text = Data("XML:com.adobe.xmp\0\u{1}\0\0\0<a/>".utf8)
        file.chunks.insert(PNGFile.Chunk(type: "iTXt", body: text), at: 1)
        #expect(EmbeddedMetadata(of: file.data).xmp == nil)
    }

    @Test("a PNG that doesn't begin with its header is refused")
    func headerFirst() throws {
        var file = try PNGFile(#require(Self.files?.first { $0.format == .png }).data)
        file.chunks.insert(PNGFile.Chunk(type: "prVt", body: Data()), at: 0)
        #expect(throws: ImageDecodingError.malformed(.png, "the header isn't the first chunk")) {
            try EmbeddedMetadata.removingPrivateData(from: file.data)
        }
    }

    @Test("files of other formats, damaged files and other bytes are refused")
    func refused() throws {
        for image in try GeneratedImage.all() where image.format == .gif {
            #expect(throws: ImageDecodingError.unsupported(.gif, "private data of this format")) {
                try EmbeddedMetadata.removingPrivateData(from: image.data)
            }
            #expect(try Self.metadata.embedded(in: image.data) == image.data)
        }
        for image in try #require(Self.files) where [.jpeg, .png, .webP].contains(image.format) {
            #expect(throws: ImageDecodingError.self, "\(image)") {
                try EmbeddedMetadata.removingPrivateData(from: image.data.prefix(20))
            }
        }
        for data in [Data(), Data("text".utf8), Data([0xFF])] {
            #expect(throws: ImageDecodingError.unknownFormat) { try Self.metadata.embedded(in: data) }
            #expect(throws: ImageDecodingError.unknownFormat) { try EmbeddedMetadata.removingPrivateData(from: data) }
            #expect(EmbeddedMetadata(of: data) == EmbeddedMetadata())
        }
    }

    @Test("blocks above the limit count as missing")
    func limits() throws {
        let image = try #require(Self.files?.first { $0.format == .png })
        let file = try EmbeddedMetadata(exif: TestExif().data, xmp: Data(count: 1_001)).embedded(in: image.data)
        let limits = DecodingLimits(metadataByteLimit: 1_000)
        #expect(EmbeddedMetadata(of: file, limits: limits) == EmbeddedMetadata(exif: TestExif().data))
        let exact = try EmbeddedMetadata(xmp: Data(count: 1_000)).embedded(in: image.data)
        #expect(EmbeddedMetadata(of: exact, limits: limits).xmp?.count == 1_000)
    }

    @Test("files that are cut off or damaged at any byte are read within their bounds, and have what is written")
    func damaged() throws {
        for image in try #require(Self.files).reduce(into: [:], { $0[$1.format] = $1 }).values {
            let file = try Self.metadata.embedded(in: image.data)
            for index in 0..<min(file.count, 2_000) {
                var changed = file
                changed[index] ^= 0xFF
                for file in [changed, file.prefix(index)] {
                    _ = EmbeddedMetadata(of: file)
                    _ = try? EmbeddedMetadata.removingPrivateData(from: file)
                    guard let written = try? Self.metadata.embedded(in: file),
                        let format = FileSignature.format(of: written)
                    else { continue }
                    let expected = Self.metadata.keeping(EmbeddedMetadata.blocks(writtenTo: format))
                    #expect(EmbeddedMetadata(of: written) == expected, "\(format), byte \(index)")
                }
            }
        }
    }
}
