import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import ImageMetadata

@Suite("Metadata in files") struct FileTests {
    private static let metadata = EmbeddedMetadata(
        exif: TestExif().data,
        xmp: Data(
            "<x xmp:Rating=\"5\"><dc:rights>(c) Ann</dc:rights><Iptc4xmpCore:City>Paris</Iptc4xmpCore:City></x>".utf8),
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
            #expect(EmbeddedMetadata(of: none) == EmbeddedMetadata() && !contains(none, "Ann"), "\(image)")
        }
    }

    @Test("the name of a profile ends at a zero")
    func profileName() throws {
        var profile = try #require(ColorSpace.displayP3.profile)
        let digit = try #require(profile.firstRange(of: Data([0, 0x50, 0, 0x33]))).upperBound - 1
        profile[digit] = 0
        #expect(EmbeddedMetadata(icc: profile).colorProfileName == "Display P")
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

    @Test("texts and times of PNG, and unknown chunks of WebP, are private")
    func chunks() throws {
        let png = try #require(Self.files?.first { $0.format == .png }).data
        var file = try PNGFile(png)
        for type in ["tEXt", "tIME", "zTXt", "prVt"] {
            file.chunks.insert(PNGFile.Chunk(type: type, body: Data("Paris".utf8)), at: 1)
        }
        #expect(try EmbeddedMetadata.removingPrivateData(from: file.data + Data("Paris".utf8)) == png)
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
