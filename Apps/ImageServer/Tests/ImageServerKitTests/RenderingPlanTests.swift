import Foundation
import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct RenderingPlanTests {
    private func plan(
        _ width: Int, _ height: Int, _ text: String, orientation: ImageOrientation = .up
    ) throws -> RenderingPlan {
        let header = ImageHeader(
            format: .jpeg, storedSize: PixelSize(width: width, height: height), orientation: orientation)
        return RenderingPlan(header, try .parsed(text))
    }

    @Test(
        "computes the size of the result as imgproxy documents it",
        arguments: [
            ("w:0", "1000x500"), ("rs:fit:100:100", "100x50"), ("rs:fit:2000:2000", "1000x500"),
            ("rs:fit:1200:1200", "1000x500"), ("rs:fit:1200:1200/pd:12", "1024x524"),
            ("rs:fit:2000:2000:1", "2000x1000"), ("w:100", "100x50"), ("h:100", "200x100"),
            ("rs:fill:100:100", "100x100"),
            ("rs:fill:2000:100", "1000x100"), ("rs:fill:2000:1000:1", "2000x1000"),
            ("rs:fill-down:2000:2000", "500x500"),
            ("rs:fill-down:2000:1000", "1000x500"), ("rs:fill-down:100:100", "100x100"),
            ("rs:force:100:100", "100x100"),
            ("rs:force:100", "100x500"), ("rs:force:2000:500", "1000x250"), ("rs:auto:200:100", "200x100"),
            ("rs:auto:100:200", "100x50"), ("rs:fit:100:100/dpr:2", "200x100"), ("rs:fit:800:800/dpr:2", "1000x500"),
            ("rs:fill:100:100/dpr:2", "200x200"), ("w:100/z:2", "200x100"), ("rs:force:100:100/z:2:3", "200x300"),
            ("rs:fit:100:100/mh:80", "100x80"), ("mw:2000", "2000x1000"), ("c:200:200", "200x200"),
            ("c:0.5:0.5", "500x250"),
            ("c:200:200/w:100", "100x100"), ("rot:90", "500x1000"), ("rot:90/w:100", "100x200"),
            ("rs:fit:100:100/pd:10", "120x70"), ("rs:fit:100:100/pd:10:20:30:40", "160x90"),
            ("rs:fit:100:100/pd:10/dpr:2", "240x140"), ("rs:fit:2000:2000:0:1", "2000x2000"),
            ("rs:fit:100:100:0:1", "100x100"), ("rs:fit:100:200/exar:1", "100x200"), ("w:0.0001", "x"),
            ("w:1", "1x1"), ("h:1", "2x1"),
        ].filter { $0.1 != "x" })
    func sizes(text: String, expected: String) throws {
        #expect("\(try plan(1_000, 500, text).output)" == expected)
    }

    /// Sizes of a source of 200 x 100 pixels, in the order of `wanted`.
    @Test(
        "computes the sizes of imgproxy's own tests",
        arguments: [
            ("rs:fit:", "50x25 40x20 20x10 200x100 100x50 100x50 100x50 50x25 200x100 200x100"),
            ("el:1/rs:fit:", "50x25 40x20 20x10 300x150 100x50 100x50 100x50 50x25 400x200 300x150"),
            ("ex:1/rs:fit:", "50x50 50x20 20x50 300x300 300x50 100x300 100x50 50x25 200x200 300x100"),
            ("exar:1/rs:fit:", "50x50 50x20 20x50 200x200 300x50 100x300 100x50 50x25 200x100 200x100"),
            ("rs:fill:", "50x50 50x20 20x50 200x100 200x50 100x100 100x50 50x25 200x100 200x100"),
            ("el:1/rs:fill:", "50x50 50x20 20x50 300x300 300x50 100x300 100x50 50x25 400x200 300x150"),
            ("ex:1/rs:fill:", "50x50 50x20 20x50 300x300 300x50 100x300 100x50 50x25 200x200 300x100"),
            ("exar:1/rs:fill:", "50x50 50x20 20x50 200x200 300x50 100x300 100x50 50x25 200x100 200x100"),
            ("ex:1/rs:fill-down:", "50x50 50x20 20x50 300x300 300x50 100x300 100x50 50x25 200x200 300x100"),
        ])
    func sizesOfTests(options: String, expected: String) throws {
        let wanted = [
            "50:50", "50:20", "20:50", "300:300", "300:50", "100:300", "0:50", "50:0", "0:200", "300:0",
        ]
        let sizes = try wanted.map { "\(try plan(200, 100, options + $0).output)" }
        #expect(sizes.joined(separator: " ") == expected)
    }

    @Test(
        "makes a result as small as imgproxy's own tests",
        arguments: [
            (50, "rs:fit:100:100", "50x25"), (50, "rs:fit", "50x25"), (100, "rs:fit:0:100", "100x50"),
            (100, "rs:fit:1000:1000:1", "100x50"), (100, "rs:fit:1000:2000:0:1", "50x100"),
            (100, "rs:fit:1000:2000/exar:1", "50x100"), (100, "rs:fit:100:150/rot:90", "50x100"),
            (100, "rs:fit/rot:90", "50x100"), (200, "rs:fit:100:100/pd:100:200:300:400", "200x129"),
            (50, "rs:fill:100:100", "50x50"), (50, "rs:fill:1000:50", "50x13"), (50, "rs:fill:100:1000", "50x50"),
            (100, "rs:fill:1000:1000", "100x50"), (100, "rs:fill:1000:1000:1", "100x100"),
            (100, "rs:fill:1000:2000:0:1", "50x100"), (100, "rs:fill:1000:2000/exar:1", "50x100"),
            (100, "rs:fill:100:150/rot:90", "67x100"), (200, "rs:fill:100:100/pd:100:200:300:400", "200x144"),
            (50, "rs:fill-down:1000:50", "50x3"), (50, "rs:fill-down:100:1000", "5x50"),
            (100, "rs:fill-down:1000:1500/rot:90", "67x100"), (100, "rs:fill-down:1000:1000", "100x100"),
            (200, "rs:fill-down:1000:1000/pd:100:200:300:400", "200x144"),
        ])
    func limitsOfTests(side: Int, options: String, expected: String) throws {
        let header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: 200, height: 100))
        let plan = RenderingPlan(header, try .parsed(options), limit: .init(side: side, area: .max))
        #expect("\(plan.output)" == expected)
    }

    @Test(
        "makes a result smaller that would be too large, with all of its distances",
        arguments: [
            ("w:2000/el:1", "800x400"), ("dpr:4/w:1000/el:1", "800x400"), ("rs:fill:2000:1500:1", "800x600"),
            ("rs:fit:500:250/pd:500", "798x665"), ("rs:fit:1600:1600:0:1", "800x800"),
            ("rs:fit:100:3000/exar:1", "27x800"), ("rs:fill:100:100", "100x100"), ("z:1000:1000/el:1", "800x400"),
            ("rs:fit:1000000:1000000:1:1/dpr:1000/z:1000/pd:1000000", "800x800"), ("c:10:10/w:9999/el:1", "800x800"),
            ("rs:force:1000000:1:1", "800x1"), ("mw:5000", "800x400"), ("pd:1000000", "799x799"),
        ])
    func tooLarge(text: String, expected: String) throws {
        let options = try ProcessingOptions.parsed(text)
        let header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: 1_000, height: 500))
        let plan = RenderingPlan(header, options, limit: .init(side: 800, area: 2_000_000))
        #expect("\(plan.output)" == expected)
        let small = RenderingPlan(header, options, limit: .init(area: 1_000))
        #expect(small.largestArea <= 1_000 && small.output.area > 0)
    }

    @Test("never makes a side smaller than one pixel")
    func smallest() throws {
        #expect(try plan(10_000, 1, "w:10").output == PixelSize(width: 10, height: 1))
        #expect(try plan(10_000, 1, "w:10/dpr:0.1").output == PixelSize(width: 1, height: 1))
        #expect(try plan(1, 1, "c:0.1:0.1/pix:5").output == PixelSize(width: 1, height: 1))
    }

    @Test("decodes no more than the scale of the result needs")
    func decoding() throws {
        #expect(try plan(1_000, 500, "w:100").target?.size == PixelSize(width: 100, height: 50))
        #expect(try plan(1_000, 500, "w:0").target == nil)
        #expect(try plan(1_000, 500, "rot:90/w:100").target?.size == PixelSize(width: 200, height: 100))
        // The whole image at the scale of the area.
        let cropped = try plan(1_000, 500, "c:500:500/w:100")
        #expect(cropped.target?.size == PixelSize(width: 200, height: 100))
        #expect(cropped.crop == .init(x: 50, y: 0, size: PixelSize(width: 100, height: 100)))
        // An area that becomes larger is cut out of the source.
        let enlarged = try plan(1_000, 500, "c:10:10/w:1000/el:1")
        #expect(enlarged.target == nil)
        #expect(enlarged.crop?.size == PixelSize(width: 10, height: 10))
        #expect(enlarged.scaled == PixelSize(width: 1_000, height: 1_000))
    }

    @Test(
        "draws no more of a drawing than its limit, and resizes that",
        arguments: ["c:10:10/w:4000", "c:10:10/w:4000/rot:90", "w:4000", "rs:force:4000:9", "c:1:1/w:1"])
    func drawings(text: String) throws {
        var options = try ProcessingOptions.parsed(text)
        options.enlarges = true
        let header = ImageHeader(format: .svg, storedSize: PixelSize(width: 1_000, height: 500))
        let drawn = RenderingPlan(header, options, drawing: .init(side: 900, area: 100_000))
        let whole = RenderingPlan(header, options)
        let size = drawn.target?.size ?? header.size
        #expect(size.area <= 100_000 && max(size.width, size.height) <= 900)
        #expect(drawn.scaled == whole.scaled && drawn.output == whole.output)
        #expect(drawn.crop.map { $0.x + $0.size.width <= max(size.width, size.height) } ?? true)
        for limit in [1, 2, 7] {
            let target = RenderingPlan(header, options, drawing: .init(side: limit, area: 1)).target
            #expect(target?.size == PixelSize(width: 1, height: 1), "\(limit)")
        }
    }

    @Test("applies orientation and rotation, and undoes the former without auto_rotate")
    func orientations() throws {
        let upright = try plan(1_000, 500, "w:100", orientation: .right)
        #expect(upright.orientations.isEmpty)
        #expect(upright.output == PixelSize(width: 100, height: 200))
        let stored = try plan(1_000, 500, "w:100/ar:0", orientation: .right)
        #expect(stored.orientations == [.left])
        #expect(stored.output == PixelSize(width: 100, height: 50))
        #expect(stored.target?.size == PixelSize(width: 50, height: 100))
        #expect(try plan(10, 10, "rot:180").orientations == [.down])
        #expect(try plan(10, 10, "rot:270/ar:0", orientation: .left).orientations == [.right, .left])
    }

    @Test("crops by gravity, scaled by dpr")
    func gravity() throws {
        #expect(try plan(1_000, 500, "rs:fill:100:100/g:we").resultCrop?.x == 0)
        #expect(try plan(1_000, 500, "rs:fill:100:100/g:ea").resultCrop?.x == 100)
        #expect(try plan(1_000, 500, "rs:fill:100:100").resultCrop?.x == 50)
        #expect(try plan(1_000, 500, "rs:fill:100:100/g:we:5/dpr:2").resultCrop?.x == 10)
        #expect(
            try plan(1_000, 500, "c:100:100:soea").crop == .init(x: 900, y: 400, size: .init(width: 100, height: 100)))
    }

    @Test("places the image on the canvas")
    func canvas() throws {
        let extended = try plan(100, 50, "rs:fit:200:200:0:1:nowe")
        #expect(extended.canvas == .init(x: 0, y: 0, size: PixelSize(width: 200, height: 200)))
        let centered = try plan(100, 50, "rs:fit:200:200:0:1/pd:10:0:0:5")
        #expect(centered.canvas == .init(x: 55, y: 86, size: PixelSize(width: 205, height: 210)))
        #expect(try plan(100, 50, "w:10").canvas == nil)
    }
}
