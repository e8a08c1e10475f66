import ImageCore
import Testing

@Suite("Size of a decoded image")
struct OutputSizeTests {
    struct Row: CustomTestStringConvertible {
        let image: (Int, Int)
        let target: (Int, Int)
        let upscales: Bool
        let expected: (Int, Int)

        init(_ image: (Int, Int), _ target: (Int, Int), upscales: Bool = false, _ expected: (Int, Int)) {
            self.image = image
            self.target = target
            self.upscales = upscales
            self.expected = expected
        }

        var testDescription: String { "\(image) to \(target)\(upscales ? ", upscaled," : "") is \(expected)" }

        func output(_ mode: ImageTarget.Mode) -> PixelSize {
            let size = PixelSize(width: target.0, height: target.1)
            let request = DecodingRequest(target: ImageTarget(size, mode: mode, upscales: upscales))
            return request.outputSize(for: PixelSize(width: image.0, height: image.1))
        }
    }

    static let fits = [
        Row((4000, 3000), (300, 300), (300, 225)),
        Row((3000, 4000), (300, 300), (225, 300)),
        Row((1200, 750), (300, 300), (300, 188)),
        Row((1200, 750), (300, 187), (299, 187)),
        Row((1000, 1000), (333, 500), (333, 333)),
        Row((10000, 1), (100, 100), (100, 1)),
        Row((1, 10000), (100, 100), (1, 100)),
        Row((300, 200), (300, 200), (300, 200)),
        Row((299, 200), (300, 200), (299, 200)),
        Row((10, 20), (300, 300), (10, 20)),
        Row((10, 20), (300, 300), upscales: true, (150, 300)),
        Row((3, 2), (10, 10), upscales: true, (10, 7)),
        Row((65_535, 65_534), (65_534, 65_534), (65_534, 65_533)),
        Row((7, 5), (.max, .max), (7, 5)),
    ]

    static let fills = [
        Row((4000, 3000), (300, 300), (300, 300)),
        Row((300, 300), (300, 300), (300, 300)),
        Row((300, 200), (100, 200), (100, 200)),
        Row((300, 200), (400, 100), (300, 75)),
        Row((300, 200), (100, 300), (67, 200)),
        Row((300, 200), (600, 600), (200, 200)),
        Row((300, 200), (600, 600), upscales: true, (600, 600)),
        Row((1, 1), (1000, 10), (1, 1)),
    ]

    @Test("fit keeps the aspect ratio and does not exceed the target", arguments: fits)
    func fit(_ row: Row) {
        #expect(row.output(.fit) == PixelSize(width: row.expected.0, height: row.expected.1))
    }

    @Test("fill returns the target, or the largest size with its aspect ratio that the image covers", arguments: fills)
    func fill(_ row: Row) {
        #expect(row.output(.fill) == PixelSize(width: row.expected.0, height: row.expected.1))
    }

    @Test(
        "the visible region is in the center, at whole pixels unless it is scaled",
        arguments: [
            ((100, 200), (301, 200), (100.0, 0, 100, 200)), ((50, 50), (300, 200), (50, 0, 200, 200)),
            ((600, 600), (300, 201), (49, 0, 201, 201)),
        ] as [((Int, Int), (Int, Int), (Double, Double, Double, Double))])
    func regions(target: (Int, Int), image: (Int, Int), region: (Double, Double, Double, Double)) {
        let size = PixelSize(width: image.0, height: image.1)
        let found = ImageTarget.fill(width: target.0, height: target.1).region(of: size)
        #expect(found == PixelRegion(x: region.0, y: region.1, width: region.2, height: region.3))
        #expect(ImageTarget.fit(width: 1).region(of: size) == PixelRegion(size))
    }

    @Test(
        "a part is fitted and filled like an image of its own",
        arguments: [(20, 30), (30, 20), (50, 40), (50, 10), (90, 80), (90, 10)], [false, true])
    func parts(target: (Int, Int), upscales: Bool) {
        let part = PixelArea(left: 1_000, top: 900, width: 50, height: 40)
        for mode in ImageTarget.Mode.allCases {
            var target = ImageTarget(PixelSize(width: target.0, height: target.1), mode: mode, upscales: upscales)
            let output = target.outputSize(for: part.size)
            var region = target.region(of: part.size)
            region.x += 1_000
            region.y += 900
            target.part = part
            let image = PixelSize(width: 4_000, height: 3_000)
            #expect(target.region(of: image) == region && target.outputSize(for: image) == output, "\(mode)")
        }
    }

    @Test("without a target, the image keeps its size")
    func noTarget() {
        let size = PixelSize(width: 17, height: 4)
        #expect(DecodingRequest().outputSize(for: size) == size)
    }
}
