import Foundation
import ImageCodecJPEG
import ImageCore
import Testing

@testable import GeneratedImages
@testable import ImageTesting

@Suite("JPEG scaling")
struct JPEGScalingTests {
    private static let image = FlatJPEG(width: 161, height: 120, components: [.init { $0 + $1 }])

    @Test(
        "the decodable size is the smallest of 1, 1/2, 1/4, 1/8 that covers the target",
        arguments: [
            (PixelSize(width: 161, height: 120), PixelSize(width: 161, height: 120)),
            (PixelSize(width: 82, height: 1), PixelSize(width: 161, height: 120)),
            (PixelSize(width: 81, height: 60), PixelSize(width: 81, height: 60)),
            (PixelSize(width: 1, height: 31), PixelSize(width: 81, height: 60)),
            (PixelSize(width: 41, height: 30), PixelSize(width: 41, height: 30)),
            (PixelSize(width: 21, height: 15), PixelSize(width: 21, height: 15)),
            (PixelSize(width: 1, height: 1), PixelSize(width: 21, height: 15)),
            (PixelSize(width: 5000, height: 1), PixelSize(width: 161, height: 120)),
        ])
    func decodableSize(target: PixelSize, expected: PixelSize) throws {
        let image = try JPEGDecoder().open(Self.image.data, limits: .default)
        #expect(image.decodableSize(covering: target) == expected)
        #expect(try jpeg.pixels(Self.image.data, size: expected).count == expected.area * 4)
    }

    @Test("an image of one pixel is not scaled")
    func onePixel() throws {
        let file = FlatJPEG(width: 1, height: 1, components: [.init(level: 33)])
        let image = try JPEGDecoder().open(file.data, limits: .default)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == PixelSize(width: 1, height: 1))
        #expect(try jpeg.pixels(file.data) == [33, 33, 33, 255])
    }

    @Test("with speed preferred, 1.98 times the size suffices, in each direction up to that of the image")
    func sizesForSpeed() throws {
        func size(_ width: Int, _ height: Int, for target: PixelSize) throws -> PixelSize {
            let file = FlatJPEG(width: width, height: height, components: [.init(level: 33)], frameMarker: 0xC2)
            return try jpeg.open(file.data).decodableSize(covering: target, preference: .speed)
        }
        #expect(try size(400, 8, for: PixelSize(width: 101, height: 1)) == PixelSize(width: 200, height: 4))
        #expect(try size(400, 8, for: PixelSize(width: 102, height: 1)) == PixelSize(width: 400, height: 8))
        #expect(try size(160, 1, for: PixelSize(width: 20, height: 1)) == PixelSize(width: 40, height: 1))
    }

    @Test("an image is received at once if its sink can, or else in rows", arguments: [false, true])
    func imageAtOnce(progressive: Bool) throws {
        let file = try landscapeFile(progressive: progressive)
        let sink = CancellingSink(receivesImages: true)
        try jpeg.open(file).decode(frame: 0, size: landscapeSize(2), layout: .rgba8, into: sink)
        #expect(sink.image == Array(try rows(of: file, denominator: 2).rows.joined()))
        #expect(sink.rows == 0)
    }

    @Test("unsupported sizes, layouts and frames are rejected")
    func unsupportedRequests() throws {
        let image = try JPEGDecoder().open(Self.image.data, limits: .default)
        let stored = image.header.storedSize
        let sink = CollectingRowSink()
        for size in [
            PixelSize(width: 20, height: 15), PixelSize(width: 162, height: 120), PixelSize(width: 0, height: 0),
        ] {
            #expect(throws: ImageDecodingError.unsupported(.jpeg, "161x120 can't be scaled to \(size)")) {
                try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
            }
        }
        #expect(throws: ImageDecodingError.unsupported(.jpeg, "the image can't be decoded to the layout cmyk8")) {
            try image.decode(frame: 0, size: stored, layout: .cmyk8, into: sink)
        }
        #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
            try image.decode(frame: 1, size: stored, layout: .rgba8, into: sink)
        }
        #expect(sink.offeredCount == 0)
    }
}
