import Foundation
import ImageCore
import Testing

@Suite("File signatures")
struct FileSignatureTests {
    /// Returns an `ftyp` box with these brands.
    private static func fileType(_ major: String, _ compatible: [String] = [], length: Int? = nil) -> Data {
        let length = length ?? 16 + 4 * compatible.count
        let prefix = Data([0, 0, UInt8(length >> 8), UInt8(length & 255)]) + Data("ftyp\(major)".utf8) + Data(count: 4)
        return prefix + Data(compatible.joined().utf8)
    }

    @Test("the major brand distinguishes HEIC and AVIF")
    func majorBrand() {
        for brand in ["heic", "heix", "hevc", "heim"] {
            #expect(FileSignature.format(of: Self.fileType(brand, ["mif1"])) == .heic)
        }
        for brand in ["avif", "avis"] { #expect(FileSignature.format(of: Self.fileType(brand)) == .avif) }
    }

    @Test("a general brand uses the first specific compatible brand, or HEIC")
    func compatibleBrands() {
        #expect(FileSignature.format(of: Self.fileType("mif1", ["miaf", "avif"])) == .avif)
        #expect(FileSignature.format(of: Self.fileType("mif1", ["heic", "avif"])) == .heic)
        #expect(FileSignature.format(of: Self.fileType("msf1")) == .heic)
        let others = ["mif1", "miaf", "MiHB", "msf1", "MA1B", "iso8"]
        #expect(FileSignature.format(of: Self.fileType("mif1", others + ["avif"])) == .avif)
        #expect(FileSignature.format(of: Self.fileType("mif1", others + ["heic"])) == .heic)
    }

    @Test("brands after the box and incomplete brands are ignored")
    func bounds() {
        #expect(FileSignature.format(of: Self.fileType("isom", ["avif"], length: 16)) == nil)
        #expect(FileSignature.format(of: Self.fileType("isom", ["avif"]).prefix(19)) == nil)
        let many = [String](repeating: "mp41", count: 28)
        #expect(FileSignature.format(of: Self.fileType("isom", many + ["avif"])) == nil)
    }

    @Test("videos and other files in the same container are not recognized")
    func otherBrands() {
        for brand in ["isom", "mp42", "qt  ", "M4A "] { #expect(FileSignature.format(of: Self.fileType(brand)) == nil) }
    }

    @Test("a box that is too short for a brand is ignored")
    func shortBoxes() {
        for length in [0, 1, 8, 15] {
            #expect(FileSignature.format(of: Self.fileType("avif", length: length)) == nil)
        }
        for count in 0..<12 { #expect(FileSignature.format(of: Self.fileType("avif").prefix(count)) == nil) }
    }

    @Test("BMP, ICO, TIFF and SVG are recognized")
    func otherFormats() {
        let bitmap = Data("BM".utf8) + Data(count: 12) + [40, 0, 0, 0]
        let icon = Data([0, 0, 1, 0, 1, 0]) + Data(count: 8) + [9, 0, 0, 0, 22, 0, 0, 0]
        let files: [(ImageFormat, Data)] = [
            (.bmp, bitmap), (.ico, icon), (.tiff, Data([0x49, 0x49, 42, 0])), (.tiff, Data([0x4D, 0x4D, 0, 43])),
            (.svg, Data("\u{FEFF}\n<?xml version='1.0'?><!-- a --><svg".utf8)),
        ]
        for (format, data) in files {
            #expect(FileSignature.format(of: data) == format)
            #expect(FileSignature.format(of: data.dropLast()) == nil)
        }
        #expect(FileSignature.format(of: Data("BM are the first letters of a text".utf8)) == nil)
        for text in ["<html><svg>", "<svgx/>"] { #expect(FileSignature.format(of: Data(text.utf8)) == nil) }
        #expect(FileSignature.format(of: Data([0, 0, 1, 0]) + Data(count: 40)) == nil)
    }

    @Test("JPEG, PNG, GIF, WebP and JPEG XL are recognized, also in a slice")
    func commonFormats() {
        let signatures: [(ImageFormat, [UInt8])] = [
            (.jpeg, [0xFF, 0xD8, 0xFF, 0xE1]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
            (.jpegXL, [0xFF, 0x0A, 0, 0]),
            (.jpegXL, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
            (.webP, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8L".utf8)),
        ]
        for (format, bytes) in signatures {
            #expect(FileSignature.format(of: Data(bytes)) == format)
            #expect(FileSignature.format(of: (Data([7]) + bytes).dropFirst()) == format)
        }
        #expect(FileSignature.format(of: Data([0, 0, 0, 16] + Array("ftypmif1".utf8) + [0, 0, 0, 0])) == .heic)
        for (offset, format) in [(22, ImageFormat.ico), (21, nil)] {
            let icon = [0, 0, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 8) + [9, 0, 0, 0, UInt8(offset), 0, 0, 0]
            #expect(FileSignature.format(of: Data(icon)) == format)
        }
        #expect(FileSignature.format(of: Data("RIFF1234WAVEfmt ".utf8)) == nil)
        #expect(FileSignature.format(of: Data()) == nil)
    }
}
