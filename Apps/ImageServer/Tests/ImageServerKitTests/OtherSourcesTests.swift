import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct OtherSourcesTests {
    /// Two red pixels of 24 bits.
    static let bitmap =
        Data("BM".utf8) + [62, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
        + Data(count: 24) + [0, 0, 255, 0, 0, 255, 0, 0]

    private static func answer(_ source: Data, _ path: String) async -> ServerResponse {
        let fixture = ServiceFixture()
        fixture.script(.data(source))
        return await fixture.makeHandler().answer(path)
    }

    @Test("a bitmap is a source, and the result has the first suitable format")
    func bitmap() async throws {
        let response = await Self.answer(Self.bitmap, ServiceFixture.path("w:1"))
        #expect(response["Content-Type"] == "image/jpeg")
        #expect(response["X-Result-Size"] == "1x1")
        #expect(await Self.answer(Self.bitmap, "/info" + ServiceFixture.path("w:1")).text.contains("bmp"))
    }

    @Test("a source of a format without results is unprocessed only if the URL has no format")
    func unprocessed() async throws {
        let source = await Self.answer(Self.bitmap, ServiceFixture.path("skp:bmp"))
        #expect(source.body == Self.bitmap)
        #expect(source["Content-Type"] == "image/bmp")
        #expect(await Self.answer(Self.bitmap, ServiceFixture.path("skp:bmp/f:png"))["Content-Type"] == "image/png")
    }

    @Test("refused formats are not decoded")
    func refusedFormats() async throws {
        let settings = try await SampleWorkers.settings(["--refused-sources", "bmp,svg"])
        #expect(settings.refusedSources == [.bmp, .svg])
        let decoder = settings.makeDecoder()
        for file in [Self.bitmap, Data("<svg width='1' />".utf8)] {
            #expect { try decoder.header(of: file) } throws: { "\($0)".contains("there is no decoder for it") }
        }
    }

    #if SVG
        private static let drawing = Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>alert(1)</script>
            <rect width="10" height="10"/></svg>
            """.utf8)

        private static func rendered(_ text: String, _ limits: RenderingLimits = RenderingLimits()) throws -> Bitmap {
            try SampleImages.decoder().decode(renderImage(drawing, "\(text)/f:png", limits: limits).data).bitmap
        }

        @Test(
            "a drawing is drawn in the size of the result, also if that is larger",
            arguments: ["w:400", "c:20:10/w:400"])
        func drawingSize(options: String) throws {
            let bitmap = try Self.rendered(options)
            #expect(bitmap.size == PixelSize(width: 400, height: 200))
            #expect((0..<400).allSatisfy { bitmap.pixels[4 * $0 + 3] == ($0 < 200 ? 255 : 0) })
        }

        @Test("a part of a drawing is sharp, and can be turned")
        func parts() throws {
            let part = try Self.rendered("c:10:10:ce/w:300")
            #expect(part.size == PixelSize(width: 300, height: 300))
            #expect((0..<300).allSatisfy { part.pixels[4 * $0 + 3] == ($0 < 120 ? 255 : 0) })
            let turned = try Self.rendered("rot:90/w:100")
            #expect(turned.size == PixelSize(width: 100, height: 200))
            #expect(turned.pixels[3] == 255)
            #expect(turned.pixels[4 * 100 * 199 + 3] == 0)
        }

        @Test(
            "an enlarged drawing is drawn as large as the limits allow, and has the size that was asked for",
            arguments: [
                ("c:2:2:nowe/w:200", "200x200"), ("c:2:2:ce/w:300/rot:90", "300x300"), ("c:0.1:0.1/w:100", "100x50"),
                ("rs:fill:150:150/g:ea", "150x150"), ("rs:force:300:10", "300x10"), ("w:400", "400x200"),
                ("c:2:2:sm/w:200", "200x200"), ("t:10/c:2:2/w:200", "200x200"),
            ])
        func limitedDrawing(options: String, size: String) throws {
            let limits = RenderingLimits(sourcePixels: 20_000, resultPixels: 100_000)
            let bitmap = try Self.rendered(options, limits)
            #expect("\(bitmap.size)" == size)
            if options.hasPrefix("c:2:2:nowe") { #expect(bitmap.pixels[3] == 255) }
        }

        @Test("a drawing as a watermark is sharp, also if its own size is small")
        func watermark() throws {
            let source = try SampleImages.png(400, 400, alpha: 255)
            let mark = Watermark(file: Self.drawing, opacity: 1)
            let image = try renderImage(source, "f:png/wm:1:ce:::1", watermark: mark)
            let pixels = try SampleImages.decoder().decode(image.data).bitmap.pixels
            // In the middle row, the left half is black up to its last pixel.
            #expect((0..<200).allSatisfy { pixels[4 * (200 * 400 + $0) + 1] == 0 })
            #expect(pixels[4 * (200 * 400 + 200) + 1] != 0)
        }

        @Test("a drawing becomes PNG, or what the client accepts")
        func formats() async throws {
            let response = await Self.answer(Self.drawing, ServiceFixture.path("w:5"))
            #expect(response["Content-Type"] == "image/png")
            #expect(response["Content-Security-Policy"] == nil)
        }

        @Test("an unprocessed drawing can't run scripts", arguments: ["skp:svg", "raw:1"])
        func scripts(options: String) async throws {
            let response = await Self.answer(Self.drawing, ServiceFixture.path(options))
            #expect(response.body == Self.drawing)
            #expect(response["Content-Type"] == "image/svg+xml")
            #expect(response["Content-Security-Policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
        }
    #endif
}
