import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import GeneratedImages
@testable import ImageMetadata

@Suite("What a conversion can lose") struct ConversionLossTests {
    private static let decoder = DownsamplingDecoder.standard(.all)

    private func losses(_ file: Data) throws -> Set<ConversionLoss> {
        let header = try Self.decoder.header(of: file)
        return ConversionLoss.possible(in: file, header: header, gamut: Self.decoder.gamut(of: header))
    }

    private func encoded(_ format: ImageFormat, frames: Int = 1) throws -> Data {
        let size = PixelSize(width: 4, height: 4)
        let frames = (0..<frames).map { index in
            let pixels = [[UInt8]](repeating: [UInt8(index * 50), 90, 200, 255], count: size.area).flatMap(\.self)
            return AnimationFrame(
                bitmap: Bitmap(size: size, pixels: pixels, isOpaque: true), delay: .milliseconds(100))
        }
        let encoder = try #require([any ImageEncoder].all.encoder(for: format))
        if frames.count == 1 { return try encoder.encode(frames[0].bitmap, options: EncodingOptions()) }
        return try encoder.encode(frames, loopCount: 0, options: EncodingOptions())
    }

    @Test("a plain image has nothing to lose, and an animation its frames")
    func plain() throws {
        for encoder in [any ImageEncoder].all {
            #expect(try losses(encoded(encoder.format)).subtracting([.alpha]).isEmpty, "\(encoder.format)")
        }
        #expect(try losses(encoded(.jpeg)).isEmpty)
        #expect(try losses(encoded(.gif, frames: 2)).contains(.animation))
        #expect(Set(ConversionLoss.allCases).inOrder == ConversionLoss.allCases)
    }

    @Test("metadata, wide colors and depth maps are found where they are embedded")
    func embedded() throws {
        let metadata = EmbeddedMetadata(
            exif: TestExif().data, xmp: Data("<x Semantic=\"Depth\"/>".utf8), icc: ColorSpace.displayP3.profile)
        let all: Set<ConversionLoss> = [.exif, .xmp, .depthMap, .gamut]
        for format in [ImageFormat.jpeg, .png, .webP] {
            let file = try metadata.embedded(in: encoded(format))
            #expect(try losses(file).subtracting([.alpha]) == all, "\(format)")
            #expect(try losses(file).subtracting(losses(encoded(format))) == all)
        }
        let press = EmbeddedMetadata(iptc: Data([0x1C, 2, 80, 0, 3]) + Data("Ann".utf8))
        #expect(try losses(press.embedded(in: encoded(.jpeg))) == [.iptc])
    }

    @Test("comments, texts, compressed and extended metadata are other metadata")
    func otherMetadata() throws {
        func has(_ file: Data) throws -> Bool { try losses(file).contains(.otherMetadata) }
        var jpeg = try JPEGFile(encoded(.jpeg))
        for segment in [
            JPEGFile.Segment(marker: 0xFE, body: Data("a".utf8)),
            JPEGFile.Segment(marker: 0xE1, body: Data("http://ns.adobe.com/xmp/extension/\0".utf8)),
        ] {
            let plain = jpeg
            jpeg.segments.append(segment)
            #expect(try has(jpeg.data) && !has(plain.data))
            jpeg = plain
        }
        let (png, xmp) = (try encoded(.png), "XML:com.adobe.xmp\0")
        for (type, text) in [
            ("tEXt", "Title\0a"), ("zTXt", "Raw profile type exif\0\0"), ("iTXt", xmp + "\u{1}\0\0\0"),
        ] {
            var file = try PNGFile(png)
            file.chunks.insert(PNGFile.Chunk(type: type, body: Data(text.utf8)), at: 1)
            #expect(try has(file.data), "\(type)")
        }
        #expect(try !has(EmbeddedMetadata(xmp: Data("<x/>".utf8)).embedded(in: png)))
        let jxl = Data(box: "JXL ", Data([0x0D, 0x0A, 0x87, 0x0A])) + Data(box: "brob", Data("Exif".utf8))
        let header = ImageHeader(format: .jpegXL, storedSize: PixelSize(width: 1, height: 1))
        #expect(ConversionLoss.possible(in: jxl, header: header) == [.otherMetadata])
        let replaced = try EmbeddedMetadata(xmp: Data("<x/>".utf8)).embedded(in: jxl)
        #expect(!ConversionLoss.possible(in: replaced, header: header).contains(.otherMetadata))
        for frames in [1, 3] {
            let gif = try encoded(.gif, frames: frames)
            #expect(try !has(gif))
            // A text that is drawn has the label 1.
            let text = [0x21, 0x01, 12] + [UInt8](repeating: 0, count: 12) + [1, 65, 0]
            for block in [text, [0x21, 0xFE, 1, 65, 0], [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [0]] as [[UInt8]]
            {
                #expect(try has(gif.dropLast() + block + [0x3B]), "\(block)")
            }
        }
    }

    @Test("depth maps are named in XMP and in items, and credentials in boxes of the file")
    func named() {
        func losses(_ format: ImageFormat, _ file: Data, _ xmp: String? = nil) -> Set<ConversionLoss> {
            let header = ImageHeader(format: format, storedSize: PixelSize(width: 1, height: 1))
            let metadata = xmp.map { EmbeddedMetadata(xmp: Data($0.utf8)) }
            return ConversionLoss.possible(in: file, header: header, metadata: metadata)
        }
        for text in [
            "<x a='ns.google.com/photos/1.0/depthmap/'/>", "<G:Semantic>Depth</G:Semantic>",
            "<x a='ns.google.com/photos/dd/1.0/dynamicdepth/'/>",
        ] { #expect(losses(.jpeg, Data(), text).contains(.depthMap), "\(text)") }
        for type in ["urn:mpeg:hevc:2015:auxid:2\0", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0", "other\0"] {
            var builder = HEIFBuilder()
            _ = builder.property("auxC", Data(count: 4) + Data(type.utf8))
            #expect(losses(.heic, builder.file()) == (type == "other\0" ? [] : [.depthMap]), "\(type)")
            let identifier: [UInt8] = [
                0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
            ]
            let signed = builder.file() + Data(box: "uuid", Data(identifier))
            #expect(losses(.heic, signed).contains(.contentCredentials))
        }
    }

    @Test(
        "the density for print is found in each unit, and those of screens are none",
        arguments: [(300.0, true), (73, true), (72, false), (96, false), (1, false), (0, false)])
    func density(perInch: Double, isChosen: Bool) throws {
        func has(_ file: Data) throws -> Bool { try losses(file).contains(.density) }
        let perCentimeter = Int((perInch / 2.54).rounded())
        // As a whole number per centimeter, 73 is near that of screens.
        for (unit, density) in [(1, Int(perInch)), (2, perCentimeter), (0, Int(perInch))]
        where unit != 2 || perInch != 73 {
            let body = Data("JFIF\0\u{1}\u{1}".utf8) + [UInt8(unit), UInt8(density >> 8), UInt8(density & 255)]
            var jpeg = try JPEGFile(encoded(.jpeg))
            jpeg.segments.removeAll { $0.marker == 0xE0 }
            jpeg.segments.insert(JPEGFile.Segment(marker: 0xE0, body: body + [0, 1, 0, 0]), at: 0)
            #expect(try has(jpeg.data) == (isChosen && unit != 0), "unit \(unit)")
        }
        for unit in [0, 1] {
            var (png, body) = (try PNGFile(encoded(.png)), Data())
            for _ in 0..<2 { body.append(bigEndian: UInt32((perInch / 0.0254).rounded())) }
            png.chunks.insert(PNGFile.Chunk(type: "pHYs", body: body + [UInt8(unit)]), at: 1)
            #expect(try has(png.data) == (isChosen && unit == 1), "unit \(unit)")
        }
        let header = ImageHeader(format: .tiff, storedSize: PixelSize(width: 1, height: 1))
        for (unit, density) in [(2, perInch), (3, perInch / 2.54), (1, perInch)] {
            var tiff = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2])
            for (tag, type, value) in [(282, 5, 38 as UInt32), (296, 3, UInt32(unit) << 16)] {
                tiff.append(bigEndian: UInt32(tag << 16 | type))
                tiff.append(bigEndian: 1 as UInt32)
                tiff.append(bigEndian: value)
            }
            for value in [0, UInt32((density * 100).rounded()), 100] { tiff.append(bigEndian: value) }
            let losses = ConversionLoss.possible(in: tiff, header: header)
            #expect(losses == (isChosen && unit != 1 ? [.density] : []), "unit \(unit)")
        }
    }

    @Test(
        "the colorants of a profile tell wide colors without color management, and a damaged or other profile nothing")
    func colorants() throws {
        let wide = try #require(ColorSpace.displayP3.profile)
        for (profile, isWide) in [
            (wide, true), (wide.prefix(200), false), (Data(RawPNG.profile(space: "RGB ")), false),
        ] {
            var header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: 1, height: 1))
            header.color = SourceColor(profile: Data(profile))
            #expect(ConversionLoss.possible(in: Data(), header: header) == (isWide ? [.gamut] : []))
        }
    }

    @Test("content credentials are found in each format, and other boxes are none")
    func contentCredentials() throws {
        let box = Data([0, 0, 0, 40]) + Data("jumb".utf8) + [0, 0, 0, 32] + Data("jumdc2pa".utf8) + Data(count: 20)
        for body in [box, Data(box.map { $0 == 0x32 ? 0x33 : $0 })] {
            let isManifest = body == box
            var jpeg = try JPEGFile(encoded(.jpeg))
            jpeg.segments.insert(
                JPEGFile.Segment(marker: 0xEB, body: Data("JP".utf8) + [0, 1, 0, 0, 0, 1] + body), at: 1)
            #expect(try losses(jpeg.data).contains(.contentCredentials) == isManifest)
            if [any ImageEncoder].all.encoder(for: .jpegXL) != nil {
                let file = try EmbeddedMetadata(xmp: Data("<x/>".utf8)).embedded(in: encoded(.jpegXL))
                #expect(
                    try losses(file + Data(box: "jumb", body.dropFirst(8))).contains(.contentCredentials) == isManifest)
            }
            var png = try PNGFile(encoded(.png))
            png.chunks.insert(PNGFile.Chunk(type: isManifest ? "caBX" : "caBY", body: body), at: 1)
            #expect(try losses(png.data).contains(.contentCredentials) == isManifest)
            let webP = try EmbeddedMetadata(xmp: Data("<x/>".utf8)).embedded(in: encoded(.webP))
            var file = webP + Data((isManifest ? "C2PA" : "C2PB").utf8)
            file.append(littleEndian: UInt32(body.count))
            file += body
            var length = Data()
            length.append(littleEndian: UInt32(file.count - 8))
            file.replaceSubrange(4..<8, with: length)
            #expect(try losses(file).contains(.contentCredentials) == isManifest)
            for format in [ImageFormat.avif, .heic] where [any ImageEncoder].all.encoder(for: format) != nil {
                let identifier: [UInt8] = [
                    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4,
                    isManifest ? 0x81 : 0x82,
                ]
                let file = try encoded(format) + Data(box: "uuid", Data(identifier) + body)
                #expect(try losses(file).contains(.contentCredentials) == isManifest, "\(format)")
            }
        }
    }

    @Test("16 bits, HDR, alpha and gain maps are found in generated images as their headers say")
    func headers() throws {
        var found: Set<ConversionLoss> = []
        for image in try GeneratedImage.all() {
            guard let header = try? Self.decoder.header(of: image.data) else { continue }
            let losses = try losses(image.data)
            #expect(losses.contains(.alpha) == header.hasAlpha && losses.contains(.hdr) == header.color.isHDR)
            #expect(losses.contains(.bitDepth) == (header.nativeLayout == .rgba16))
            found.formUnion(losses)
        }
        #expect(found.isSuperset(of: [.alpha, .animation]))
    }
}
