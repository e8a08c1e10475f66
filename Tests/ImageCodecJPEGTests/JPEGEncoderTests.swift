import Foundation
import GeneratedImages
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@Suite("Encoding JPEG")
struct JPEGEncoderTests {
    @Test("baseline and progressive files decode to similar pixels", arguments: [false, true])
    func roundTrip(progressive: Bool) throws {
        let pixels = try jpeg.pixels(encoded(progressive: progressive, quality: 1))
        #expect(pixels.largestDifference(to: photograph.pixels) <= 4)
    }

    @Test("baseline and progressive files of the same quality decode to the same pixels")
    func sameCoefficients() throws {
        #expect(try jpeg.pixels(encoded(progressive: true)) == jpeg.pixels(encoded()))
        #expect(try frameMarker(of: encoded()) == 0xC0)
        #expect(try frameMarker(of: encoded(progressive: true)) == 0xC2)
    }

    @Test("chroma is subsampled 4:2:0 below quality 0.9, and not above")
    func subsampling() throws {
        #expect(try lumaSampling(of: encoded(quality: 0.89)) == 0x22)
        #expect(try lumaSampling(of: encoded(quality: 0.9)) == 0x11)
        let gray = try JPEGEncoder(isGray: true).encode(photograph, options: EncodingOptions(quality: 0.5))
        #expect(try lumaSampling(of: gray) == 0x11)
    }

    @Test("higher quality gives larger files and smaller errors")
    func quality() throws {
        let files = try [0, 0.3, 0.6, 0.85, 1].map { try encoded(quality: $0) }
        #expect(files.map(\.count) == files.map(\.count).sorted())
        let errors = try files.map { try jpeg.pixels($0).largestDifference(to: photograph.pixels) }
        #expect((errors.first ?? 0) > (errors.last ?? 0))
    }

    @Test("transparent pixels are composited over white")
    func flattening() throws {
        let size = PixelSize(width: 8, height: 8)
        let cases: [([UInt8], UInt8)] = [([0, 0, 0, 0], 255), ([0, 0, 0, 128], 127), ([40, 40, 40, 255], 40)]
        for (pixel, level) in cases {
            let image = Bitmap(
                size: size, pixels: Array(repeatElement(pixel, count: size.area).joined()), isOpaque: false)
            let file = try JPEGEncoder().encode(image, options: EncodingOptions(quality: 1))
            #expect(
                try jpeg.pixels(file).largestDifference(to: (0..<64).flatMap { _ in [level, level, level, 255] }) <= 1)
        }
        // 127.996 is rounded, and 128 is stored exactly.
        let image = Bitmap(
            size: size, pixels: Array(repeatElement([1, 1, 1, 128], count: size.area).joined()), isOpaque: false)
        let file = try JPEGEncoder().encode(image, options: EncodingOptions(quality: 1))
        #expect(try jpeg.pixels(file).prefix(4) == [128, 128, 128, 255])
    }

    @Test("an image larger than the first buffer is written completely")
    func large() throws {
        let size = PixelSize(width: 160, height: 160)
        var random = SeededRandom(seed: 7)
        var pixels = (0..<size.area * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
        for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let file = try JPEGEncoder().encode(image, options: EncodingOptions(quality: 1))
        #expect(file.count > 65_536)
        #expect(try jpeg.pixels(file).largestDifference(to: pixels) <= 8)
    }

    @Test("sides have up to 65,500 pixels, and encoding stops when its task is cancelled")
    func refused() async {
        #expect(await JPEGEncoder().hasLongestSide(65_500))
        #expect(await JPEGEncoder().failure(64, 64, isCancelled: true) == .cancelled)
        #expect(!JPEGEncoder().keepsAlpha)
        #expect((JPEGEncoder().format, JPEGDecoder().format) == (.jpeg, .jpeg))
    }

    @Test("a file has the profile of Display P3, and none in sRGB")
    func colorSpace() throws {
        let file = try JPEGEncoder().encode(.displayP3, options: EncodingOptions())
        #expect(try jpeg.header(of: file).colorProfile == ColorSpace.displayP3.profile)
        #expect(try jpeg.header(of: encoded()).colorProfile == nil)
    }

    @Test("a gray file has one component, the luma, and no profile")
    func gray() throws {
        let file = try JPEGEncoder(isGray: true).encode(.displayP3, options: EncodingOptions(quality: 0.5))
        #expect(try frameHeader(of: file).dropFirst(9).first == 1)
        #expect(try jpeg.header(of: file).colorProfile == nil)
        let pixels = [[UInt8]](repeating: [200, 40, 90, 255], count: 64).flatMap(\.self)
        let image = Bitmap(size: PixelSize(width: 8, height: 8), pixels: pixels, isOpaque: true)
        let decoded = try jpeg.pixels(JPEGEncoder(isGray: true).encode(image, options: EncodingOptions(quality: 1)))
        // 0.299 R + 0.587 G + 0.114 B
        #expect(decoded.largestDifference(to: (0..<64).flatMap { _ in [94, 94, 94, 255] }) <= 1)
    }

    @Test("a quality of 0.5 is libjpeg's quality 51, and Huffman tables are those of the image")
    func tables() throws {
        let file = try [UInt8](encoded(quality: 0.5))
        // The quantizer of the last coefficient is 99 at quality 50, and 98 percent of it at quality 51.
        let tables = file.indices.dropLast(4).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDB }
        #expect(file[tables[0] + 4 + 64] == 97)
        let huffman = file.indices.dropLast(4).filter { file[$0] == 0xFF && file[$0 + 1] == 0xC4 }
        #expect(huffman.reduce(0) { $0 + Int(file[$1 + 3]) } < 200)
    }

    private func frameHeader(of file: Data) throws -> Data {
        var offset = 2
        while offset + 4 < file.count {
            let marker = file[offset + 1]
            if (0xC0...0xC2).contains(marker) { return file.dropFirst(offset) }
            offset += 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
        }
        throw ImageDecodingError.truncated(.jpeg)
    }

    private func frameMarker(of file: Data) throws -> UInt8? { try frameHeader(of: file).dropFirst().first }

    private func lumaSampling(of file: Data) throws -> UInt8? { try frameHeader(of: file).dropFirst(11).first }
}

let jpeg = FileReading(JPEGDecoder())

/// A 24 by 20 image with gradients and an edge.
let photograph: Bitmap = {
    let size = PixelSize(width: 24, height: 20)
    var pixels: [UInt8] = []
    for y in 0..<size.height {
        for x in 0..<size.width { pixels += [UInt8(x * 10), UInt8(y * 12), x > y ? 200 : 40, 255] }
    }
    return Bitmap(size: size, pixels: pixels, isOpaque: true)
}()

func encoded(progressive: Bool = false, quality: Double = 0.85) throws -> Data {
    try JPEGEncoder().encode(photograph, options: EncodingOptions(quality: quality, isProgressive: progressive))
}
