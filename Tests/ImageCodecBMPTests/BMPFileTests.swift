import Foundation
import ImageCodecBMP
import ImageCodecPNG
import ImageCore
import ReferenceFiles
import Testing

@Suite("BMP and ICO: files of other programs")
struct BMPFileTests {
    private static let files = Result {
        try ReferenceFile.all(in: Bundle.module.bundleURL.appending(path: "Files"))
    }

    private static func decoder(of file: ReferenceFile) -> any ImageDecoder {
        file.name.hasSuffix(".ico") ? ICODecoder(png: PNGDecoder()) : BMPDecoder()
    }

    @Test("the pixels are those of the other program", arguments: try files.get())
    func pixels(file: ReferenceFile) throws {
        #expect(try #require(try file.difference(by: Self.decoder(of: file))) <= 1)
    }

    @Test("a truncated or damaged file is decoded or throws a typed error", arguments: try files.get())
    func damage(file: ReferenceFile) throws {
        try file.checkDamage(by: Self.decoder(of: file))
    }

    @Test("a profile of a bitmap is read")
    func profile() throws {
        let file = try #require(try Self.files.get().first { $0.name == "bmp-profile.bmp" })
        #expect(try BMPDecoder().open(file.data, limits: .default).header.colorProfile != nil)
    }

    @Test("without a decoder for PNG, an icon of PNG files says what is missing")
    func iconWithoutPNG() throws {
        let file = try #require(try Self.files.get().first { $0.name == "ico-png.ico" })
        let failure = ImageDecodingError.unsupported(.ico, "an image is a PNG file; pass a PNG decoder")
        #expect(throws: failure) { try ICODecoder(png: nil).open(file.data, limits: .default) }
    }
}
