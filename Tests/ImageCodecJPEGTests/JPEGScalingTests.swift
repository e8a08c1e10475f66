import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@Suite("Scaling of JPEG")
struct JPEGScalingTests {
    private static let image = FlatJPEG(width: 801, height: 600, components: [.init { $0 + $1 }])

    @Test(
        "offers the smallest of 1, 1/2, 1/4, 1/8 that covers the target",
        arguments: [
            (PixelSize(width: 801, height: 600), PixelSize(width: 801, height: 600)),
            (PixelSize(width: 402, height: 1), PixelSize(width: 801, height: 600)),
            (PixelSize(width: 401, height: 300), PixelSize(width: 401, height: 300)),
            (PixelSize(width: 1, height: 151), PixelSize(width: 401, height: 300)),
            (PixelSize(width: 201, height: 150), PixelSize(width: 201, height: 150)),
            (PixelSize(width: 101, height: 75), PixelSize(width: 101, height: 75)),
            (PixelSize(width: 1, height: 1), PixelSize(width: 101, height: 75)),
            (PixelSize(width: 5000, height: 1), PixelSize(width: 801, height: 600)),
        ])
    func decodableSize(target: PixelSize, expected: PixelSize) throws {
        let image = try JPEGDecoder().open(Self.image.data, limits: .default)
        #expect(image.decodableSize(covering: target) == expected)
        #expect(try decode(Self.image.data, size: expected).count == expected.area * 4)
    }

    @Test("a picture of one pixel keeps it")
    func onePixel() throws {
        let file = FlatJPEG(width: 1, height: 1, components: [.init(level: 33)])
        let image = try JPEGDecoder().open(file.data, limits: .default)
        #expect(image.decodableSize(covering: PixelSize(width: 1, height: 1)) == PixelSize(width: 1, height: 1))
        #expect(try decode(file.data) == [33, 33, 33, 255])
    }

    @Test("other sizes, layouts and frames are refused")
    func foreignRequests() throws {
        let image = try JPEGDecoder().open(Self.image.data, limits: .default)
        let stored = image.header.storedSize
        let sink = CollectingRowSink()
        for size in [
            PixelSize(width: 100, height: 75), PixelSize(width: 802, height: 600), PixelSize(width: 0, height: 0),
        ] {
            #expect(throws: DecodingFailure.unsupported(.jpeg, "801x600 does not scale to \(size)")) {
                try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
            }
        }
        #expect(throws: DecodingFailure.self) { try image.decode(frame: 0, size: stored, layout: .cmyk8, into: sink) }
        #expect(throws: DecodingFailure.noSuchFrame(1, frameCount: 1)) {
            try image.decode(frame: 1, size: stored, layout: .rgba8, into: sink)
        }
        #expect(sink.offeredCount == 0)
    }

    @Test("one opened picture can be asked for several sizes")
    func severalSizes() throws {
        let image = try JPEGDecoder().open(Self.image.data, limits: .default)
        for denominator in [8, 1, 8, 2] {
            let target = PixelSize(width: 800 / denominator, height: 600 / denominator)
            let size = image.decodableSize(covering: target)
            let sink = CollectingRowSink()
            try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
            #expect(sink.rows.count == size.height)
        }
    }
}
