import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Parts of JPEG")
struct JPEGPartTests {
    /// Files of 160 by 112 pixels.
    struct File: CustomTestStringConvertible {
        let testDescription: String
        let data: Data
    }

    private static func files() throws -> [File] {
        let gray = Bitmap(
            size: landscape.size,
            pixels: landscape.pixels.indices.map { $0 % 4 == 3 ? 255 : landscape.pixels[$0 & ~3] },
            isOpaque: true)
        var files: [File] = []
        for progressive in [false, true] {
            let kind = progressive ? "progressive" : "sequential"
            let grayFile = try JPEGEncoder().encode(gray, options: EncodingOptions(isProgressive: progressive))
            files += [
                File(testDescription: "\(kind) 4:4:4", data: try landscapeFile(progressive: progressive)),
                File(testDescription: "\(kind) 4:2:0", data: try landscapeFile(quality: 0.8, progressive: progressive)),
                File(testDescription: "\(kind) gray", data: grayFile),
                File(testDescription: "\(kind) arithmetic", data: arithmeticFile(progressive: progressive)),
            ]
        }
        return files
            + [(2, 1), (1, 2), (2, 2), (4, 1), (4, 2)].map { luma in
                var file = FlatJPEG(
                    width: 160, height: 112,
                    components: [
                        .init(luma.0, luma.1) { ($0 * 37 + $1 * 91) % 200 + 20 },
                        .init { ($0 * 53 + $1 * 29) % 200 + 20 },
                        .init { ($0 * 71 + $1 * 43) % 200 + 20 },
                    ])
                file.restartInterval = 3
                return File(testDescription: "restart markers, \(luma)", data: file.data)
            }
    }

    private static let parts: [(Int, Int, Int, Int)] =
        [(0, 0, 1, 1), (17, 33, 40, 29), (159, 111, 1, 1), (1, 0, 158, 112), (0, 64, 160, 48)]
        + [(31, 15, 2, 2), (63, 99, 33, 13), (16, 16, 16, 16), (0, 0, 160, 112), (129, 7, 31, 90)]

    @Test("a part has the pixels of the whole image", arguments: try files())
    func equalsWhole(file: File) throws {
        let image = try jpeg.open(file.data)
        for (left, top, width, height) in Self.parts {
            let part = PixelArea(left: left, top: top, width: width, height: height)
            #expect(try pixels(image, part).largestDifference(to: cut(part, from: image)) == 0, "\(part)")
        }
    }

    @Test("rows far below are reached in steps, between which decoding can be cancelled")
    func far() throws {
        var file = FlatJPEG(
            width: 16, height: 3_000,
            components: [.init(2, 2) { $0 * 9 + $1 % 80 }, .init { $1 % 99 }, .init(level: 90)])
        file.restartInterval = 5
        let image = try jpeg.open(file.data)
        let part = PixelArea(left: 3, top: 2_901, width: 9, height: 50)
        #expect(try pixels(image, part).largestDifference(to: cut(part, from: image)) == 0)
        let sink = CancellingSink(atCheck: 20)
        #expect(throws: ImageDecodingError.cancelled) { try decode(image, part, into: sink) }
        #expect(sink.rows == 0)
    }

    @Test("a part above the end of a truncated file is complete, and one below it is truncated")
    func truncated() throws {
        let data = try landscapeFile(progressive: false)
        let image = try jpeg.open(data.prefix(data.count / 2))
        let above = PixelArea(left: 8, top: 0, width: 9, height: 24)
        #expect(try pixels(image, above) == pixels(try jpeg.open(data), above))
        for top in [40, 104] {
            let part = PixelArea(left: 8, top: top, width: 9, height: 112 - top)
            #expect(throws: ImageDecodingError.truncated(.jpeg)) { try pixels(image, part) }
        }
    }

    /// Returns a part of the pixels of the whole image.
    private func cut(_ part: PixelArea, from image: any OpenedImage) throws -> [UInt8] {
        let (whole, width) = (try jpeg.pixels(image), image.header.size.width)
        return (part.top..<part.top + part.height).flatMap { y -> ArraySlice<UInt8> in
            let start = (y * width + part.left) * 4
            return whole[start..<start + part.width * 4]
        }
    }

    private func pixels(_ image: any OpenedImage, _ part: PixelArea) throws -> [UInt8] {
        let sink = CollectingRowSink()
        try decode(image, part, into: sink)
        return sink.pixels
    }

    private func decode(_ image: any OpenedImage, _ part: PixelArea, into sink: any PixelRowSink) throws {
        try #require(image as? any PartDecodableImage).decode(part: part, layout: .rgba8, into: sink)
    }
}
