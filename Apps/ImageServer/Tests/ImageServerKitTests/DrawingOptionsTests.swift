import Foundation
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageProcessing
import ImageTesting
import Testing

@testable import ImageServerKit

/// `flip`, `trim`, `sharpen`, `watermark` and `raw`.
@Suite struct DrawingOptionsTests {
    /// Returns a bitmap of gray levels, or of transparent pixels where they are nil.
    private func bitmap(_ rows: [[UInt8?]]) -> Bitmap {
        let pixels = rows.joined().flatMap { level -> [UInt8] in
            if let level { [level, level, level, 255] } else { [0, 0, 0, 0] }
        }
        return Bitmap(
            size: PixelSize(width: rows[0].count, height: rows.count), pixels: pixels,
            isOpaque: !rows.joined().contains(nil))
    }

    private func render(_ bitmap: Bitmap, _ text: String, watermark: Watermark? = nil) throws -> Bitmap {
        let source = try PNGEncoder().encode(bitmap, options: EncodingOptions())
        let result = try rendered(source, text, watermark: watermark)
        return try SampleImages.decoder().decode(result.data).bitmap
    }

    private func rendered(_ source: Data, _ text: String, watermark: Watermark? = nil) throws -> RenderedImage {
        try renderImage(source, "\(text)/f:png", watermark: watermark)
    }

    private func levels(_ bitmap: Bitmap) -> [[UInt8]] {
        let pixels = bitmap.pixels
        return (0..<bitmap.size.height).map { y in
            (0..<bitmap.size.width).map { pixels[(y * bitmap.size.width + $0) * 4] }
        }
    }

    @Test(
        "mirrors after the rotation",
        arguments: [
            ("fl:1", [[2, 1], [4, 3]]), ("fl:0:1", [[3, 4], [1, 2]]), ("flip:1:1", [[4, 3], [2, 1]]),
            ("fl::t", [[3, 4], [1, 2]]), ("fl:", [[1, 2], [3, 4]]), ("rot:90", [[3, 1], [4, 2]]),
            ("rot:90/fl:1", [[1, 3], [2, 4]]), ("fl:1/fl:0", [[1, 2], [3, 4]]),
        ] as [(String, [[UInt8]])])
    func flip(text: String, expected: [[UInt8]]) throws {
        #expect(levels(try render(bitmap([[1, 2], [3, 4]]), text)) == expected)
    }

    private static let bordered: [[UInt8?]] = [
        [9, 9, 9, 9, 9, 9], [9, 9, 9, 99, 9, 9], [9, 9, 50, 60, 9, 9], [9, 9, 9, 9, 9, 9], [9, 9, 9, 9, 9, 9],
    ]

    @Test(
        "cuts off a border of one color",
        arguments: [
            ("t:10", "2x2"), ("trim:10::1", "2x2"), ("t:10::0:1", "2x3"), ("t:45", "1x2"), ("t:60", "1x1"),
            ("t:10:090909", "2x2"), ("t:10:999", "6x5"), ("t:10:fff", "6x5"), ("t:255", "6x5"), ("t:-1", "6x5"),
            ("t:", "6x5"), ("t:10/t:", "6x5"), ("t:0", "2x2"), ("t:10/w:4/el:1", "4x4"), ("t:10/c:1:1:nowe", "1x1"),
            ("t:10/rs:fill:2:1", "2x1"), ("t:10/pd:1", "4x4"),
        ])
    func trim(text: String, expected: String) throws {
        #expect("\(try render(bitmap(Self.bordered), text).size)" == expected)
    }

    @Test("cuts off transparent borders, and as much on both sides if asked for")
    func trimEdges() throws {
        let clear: [[UInt8?]] = [[nil, nil, nil], [nil, 7, nil], [nil, 7, nil], [nil, nil, nil]]
        #expect(levels(try render(bitmap(clear), "t:10")) == [[7], [7]])
        let uneven: [[UInt8?]] = [[9, 9, 9, 9], [9, 90, 9, 9], [9, 9, 9, 9]]
        #expect(levels(try render(bitmap(uneven), "t:10::1")) == [[90, 9]])
        #expect(levels(try render(bitmap(uneven), "t:10")) == [[90]])
        // An image of one color, and frames of animations, stay.
        #expect(try render(bitmap([[9, 9], [9, 9]]), "t:10").size == PixelSize(width: 2, height: 2))
        #expect(try renderImage(SampleImages.gif(frames: 2), "t:10/f:gif").size == PixelSize(width: 20, height: 10))
    }

    @Test("makes edges steeper and leaves flat areas")
    func sharpen() throws {
        let row: [UInt8?] = Array(repeating: 100, count: 8) + Array(repeating: 140, count: 8)
        let edge = bitmap(Array(repeating: row, count: 8))
        let sharp = levels(try render(edge, "sh:1"))[4]
        #expect(sharp[7] < 100 && sharp[8] > 140 && sharp[0] == 100 && sharp[15] == 140)
        // No more than 10 % lighter and 20 % darker.
        #expect(sharp[8] <= 140 + 26 && sharp[7] >= 100 - 51)
        #expect(levels(try render(edge, "sharpen:0")) == levels(edge))
        let faint = bitmap([[100, 102], [100, 102]])
        #expect(levels(try render(faint, "sh:1")) == levels(faint))
    }

    private func mark(_ rows: [[UInt8?]], opacity: Double = 1) throws -> Watermark {
        Watermark(file: try PNGEncoder().encode(bitmap(rows), options: EncodingOptions()), opacity: opacity)
    }

    @Test(
        "draws the watermark at its position, also partly outside",
        arguments: [
            ("wm:1:nowe", [[200, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
            ("wm:1:soea", [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 200]]),
            ("wm:1:soea:1:1", [[0, 0, 0, 0], [0, 0, 200, 0], [0, 0, 0, 0]]),
            ("wm:1:nowe:0.5:0", [[0, 0, 200, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
            ("wm:0.5:nowe", [[100, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
            ("wm:1:nowe:-1", [[200, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
            ("wm:1:re", [[200, 200, 200, 200], [200, 200, 200, 200], [200, 200, 200, 200]]),
            ("wm:1:no::2:0", [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 200, 0]]),
            ("wm:0:nowe", [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        ] as [(String, [[UInt8]])])
    func watermarks(text: String, expected: [[UInt8]]) throws {
        let ground = bitmap(Array(repeating: Array(repeating: 0, count: 4), count: 3))
        #expect(levels(try render(ground, text, watermark: mark([[200]]))) == expected)
    }

    @Test("the space between tiles is in pixels, which are scaled, or a part of the result")
    func tileSpace() {
        let tiles = ProcessingOptions.Watermark(opacity: 1, anchor: nil, x: 4, y: 0.5)
        let result = PixelSize(width: 100, height: 50)
        let placement = tiles.placement(of: PixelSize(width: 1, height: 1), on: result, scale: 2)
        #expect(placement == .tiles(horizontalSpacing: 8, verticalSpacing: 25))
    }

    @Test("draws tiles with space between them, and a watermark as large as a part of the result")
    func watermarkSizes() throws {
        let ground = bitmap(Array(repeating: Array(repeating: 0, count: 4), count: 3))
        for (text, count) in [("watermark:1:re:1:1", 4), ("wm:1:ce:::1", 9)] {
            let levels = levels(try render(ground, text, watermark: mark([[200]])))
            #expect(levels.joined().filter { $0 == 200 }.count == count)
        }
    }

    @Test("multiplies the opacities, keeps transparency, and refuses what has no watermark")
    func opacity() throws {
        let ground = bitmap([[nil, 100]])
        let result = try render(ground, "wm:0.5:re", watermark: try mark([[200]], opacity: 0.5))
        #expect(result.pixels[3] == 64 && result.pixels[0] == 200)
        #expect(abs(Int(result.pixels[4]) - 125) <= 1 && result.pixels[7] == 255)
        #expect(throws: RenderingFailure.noWatermark) { try render(ground, "wm:1") }
        #expect(throws: RenderingFailure.noWatermark) { try rendered(SampleImages.jpeg(), "wm:1") }
        #expect(ServiceFailure.rendering(.noWatermark).status == 422)
    }

    @Test("draws a watermark in any format of sources, and no larger than it is needed")
    func formats() throws {
        let ground = bitmap(Array(repeating: Array(repeating: 0, count: 40), count: 40))
        // A bitmap of two red pixels for Windows, which is half of the width and a quarter of the height.
        let mark = Watermark(file: OtherSourcesTests.bitmap, opacity: 1)
        let levels = levels(try render(ground, "wm:1:nowe:0:0:0.5", watermark: mark))
        #expect(levels.joined().filter { $0 == 255 }.count == 20 * 10)
        // One as large as the limit allows is decoded to four pixels.
        let limits = RenderingLimits(sourcePixels: 1_000_000, resultPixels: 2_000)
        let large = Watermark(file: try SampleImages.png(1_000, 1_000, alpha: 255), opacity: 1)
        let source = try PNGEncoder().encode(ground, options: EncodingOptions())
        _ = try renderImage(source, "wm:1:ce:::0.05", limits: limits, watermark: large)
        #expect {
            try renderImage(source, "wm:1:ce:::1000", limits: limits, watermark: large)
        } throws: { error in
            ServiceFailure(error).status == 422 && "\(ServiceFailure(error))".hasPrefix("the watermark: ")
        }
    }

    @Test("an empty URL of a watermark leaves that of the settings or of a preset")
    func emptyURL() throws {
        var options = ProcessingOptions()
        options.watermark.source = URL(string: "http://a/mark.png")
        for text in ["wm:1/wmu:", "watermark_url:/wm:1", "wm:1/wmu:\(Base64URL.encode("http://a/mark.png".utf8))/wmu:"]
        {
            #expect(try ProcessingOptions.parsed(text, options).watermark.source == options.watermark.source, "\(text)")
        }
        #expect(try ProcessingOptions.parsed("wm:1/wmu:").watermark.source == nil)
    }

    @Test("delivers raw sources unchanged, whatever they are")
    func raw() throws {
        let source = try SampleImages.jpeg()
        let image = try rendered(source, "raw:1/w:4")
        #expect(image.data == source && image.format == .jpeg && image.size == PixelSize(width: 80, height: 40))
        #expect(try rendered(Data("<html>".utf8), "raw:1").format == .unknown)
    }

    @Test("sends raw sources as what they are, so that no browser runs them")
    func rawResponses() async throws {
        let fixture = ServiceFixture()
        fixture.script(.data(Data("<script>".utf8)))
        let response = await fixture.makeHandler().answer(ServiceFixture.path("raw:1"))
        #expect(response.status == 200 && response.text == "<script>")
        #expect(response["Content-Type"] == "application/octet-stream")
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(response["Content-Disposition"] == "inline; filename=\"a.jpg\"")
    }

    @Test(
        "reads positions, colors and opacities, and refuses others",
        arguments: [
            "wm:2", "wm:-1", "wm:x", "wm:1:fp", "wm:1:sm", "wm:1:up", "wm:1:ce:a", "t:x", "t:1:zz", "sh:-1", "fl:1:1:1",
        ])
    func invalid(text: String) {
        #expect(throws: URLFailure.self) { try ProcessingOptions.parsed(text) }
    }

    @Test("has another result for each watermark and each of its arguments")
    func keys() throws {
        let texts = [
            "fl:1", "fl:0:1", "t:1", "t:2", "t:1:fff", "t:1::1", "sh:1", "wm:1", "wm:0.5", "wm:1:no", "wm:1:re",
            "wm:1:ce:1", "wm:1:ce::1", "wm:1:ce:::1", "raw:1",
        ]
        let keys = try texts.map { try ProcessingOptions.parsed($0).cacheKey }
        #expect(Set(keys + [ProcessingOptions().cacheKey]).count == texts.count + 1)
    }
}
