import ImageCore
import ImageProcessing
import ImageTesting
import Testing

@Suite("Processors")
struct ProcessorTests {
    /// Returns an image whose pixel (x, y) has the color (x, y, 0) and this alpha.
    static func image(_ width: Int, _ height: Int, alpha: UInt8 = 255) -> Bitmap {
        let pixels = (0..<width * height).flatMap { index -> [UInt8] in
            [UInt8(index % width), UInt8(index / width), 0, alpha]
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: alpha == 255)
    }

    @Test(
        "crop returns the part of the rectangle inside the image",
        arguments: [
            ((1, 2, 3, 2), (1, 2), (3, 2)), ((-2, -1, 4, 4), (0, 0), (2, 3)), ((8, 5, 100, 100), (8, 5), (2, 3)),
            ((0, 0, Int.max, Int.max), (0, 0), (10, 8)), ((5, 5, Int.max, Int.max), (5, 5), (5, 3)),
        ])
    func crop(_ rectangle: (Int, Int, Int, Int), _ first: (Int, Int), _ size: (Int, Int)) throws {
        let area = PixelArea(left: rectangle.0, top: rectangle.1, width: rectangle.2, height: rectangle.3)
        let result = try CropProcessor(area).process(Self.image(10, 8))
        #expect(result.size == PixelSize(width: size.0, height: size.1))
        let last = (UInt8(first.0 + size.0 - 1), UInt8(first.1 + size.1 - 1))
        #expect(Array(result.pixels.prefix(2)) == [UInt8(first.0), UInt8(first.1)])
        #expect(Array(result.pixels.suffix(4)) == [last.0, last.1, 0, 255])
        let region = PixelRegion(
            x: Double(first.0), y: Double(first.1), width: Double(size.0), height: Double(size.1))
        #expect(CropProcessor(area).region(of: PixelSize(width: 10, height: 8)) == region)
    }

    @Test("a part between pixels is resized like the same part of a larger image")
    func part() throws {
        let large = try ResizeProcessor(stretchingTo: PixelSize(width: 160, height: 128)).process(Self.image(40, 32))
        let part = UnitRegion(x: 0.26, y: 0.3, width: 0.5, height: 0.4)
        let size = PixelSize(width: 10, height: 8)
        let results = try [Self.image(40, 32), large].map { try ResizeProcessor(part, stretchedTo: size).process($0) }
        #expect(results[0].size == size)
        #expect(zip(results[0].pixels, results[1].pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        #expect(Int(results[0].pixels[0]) == Int((0.26 * 40 + 0.5).rounded()))
    }

    @Test("a part outside of the image, or of no size, is a pixel inside of it")
    func outsidePart() throws {
        let size = PixelSize(width: 1, height: 1)
        for number in [-1, 0, 1, 2, .infinity, -.infinity, .nan, 1e300] as [Double] {
            let part = UnitRegion(x: number, y: 0, width: number, height: 1e-9)
            #expect(try ResizeProcessor(part, stretchedTo: size).process(Self.image(10, 8)).size == size, "\(number)")
        }
        let same = PixelSize(width: 10, height: 8)
        // What is outside is cut off, not moved inside.
        let corner = ResizeProcessor(UnitRegion(x: 0.5, y: 0.75, width: 0.9, height: 0.9), stretchedTo: same)
        let kept = ResizeProcessor(UnitRegion(x: 0.5, y: 0.75, width: 0.5, height: 0.25), stretchedTo: same)
        #expect(try corner.process(Self.image(10, 8)) == kept.process(Self.image(10, 8)))
        #expect(try corner.process(Self.image(10, 8)) != Self.image(10, 8))
        #expect(try ResizeProcessor(.whole, stretchedTo: same).process(Self.image(10, 8)) == Self.image(10, 8))
        #expect(ResizeProcessor(.whole, stretchedTo: same).identifier == ResizeProcessor(stretchingTo: same).identifier)
    }

    @Test(
        "crop throws if the rectangle is outside the image",
        arguments: [(10, 0, 5, 5), (0, -5, 5, 5), (0, 0, 0, 5), (0, 0, 5, -1)])
    func cropOutside(_ rectangle: (Int, Int, Int, Int)) {
        let area = PixelArea(left: rectangle.0, top: rectangle.1, width: rectangle.2, height: rectangle.3)
        #expect(throws: CropError.outside(PixelSize(width: 10, height: 8))) {
            try CropProcessor(area).process(Self.image(10, 8))
        }
    }

    @Test("resize fits, fills, and does not enlarge a small image")
    func resize() throws {
        let image = Self.image(40, 20)
        let box = PixelSize(width: 10, height: 10)
        #expect(try ResizeProcessor(ImageTarget(box)).process(image).size == PixelSize(width: 10, height: 5))
        #expect(try ResizeProcessor(ImageTarget(box, mode: .fill)).process(image).size == box)
        let large = ImageTarget(PixelSize(width: 100, height: 100))
        #expect(try ResizeProcessor(large).process(image) == image)
    }

    @Test("resize throws for a result above the limits before it allocates memory")
    func resizeLimits() throws {
        let image = Self.image(2, 2)
        func failure(_ width: Int, _ height: Int, _ limits: DecodingLimits = .default) -> ImageDecodingError? {
            let target = ImageTarget(PixelSize(width: width, height: height), mode: .fill, upscales: true)
            return #expect(throws: ImageDecodingError.self) {
                try ResizeProcessor(target, limits: limits).process(image)
            }
        }
        #expect(failure(1_000_000, 1_000_000) == .limitExceeded(.side, value: 1_000_000, allowed: 65_535))
        #expect(failure(.max, .max) == .limitExceeded(.side, value: .max, allowed: 65_535))
        #expect(failure(60_000, 60_000) == .limitExceeded(.pixels, value: 3_600_000_000, allowed: 500_000_000))
        let tight = DecodingLimits(decodedByteLimit: 399)
        #expect(failure(10, 10, tight) == .limitExceeded(.decodedBytes, value: 400, allowed: 399))
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 400, allowed: 399)) {
            try ResizeProcessor(.whole, stretchedTo: PixelSize(width: 10, height: 10), limits: tight).process(image)
        }
    }

    @Test("fill keeps the center")
    func fillMiddle() throws {
        let target = ImageTarget(PixelSize(width: 10, height: 10), mode: .fill)
        let result = try ResizeProcessor(target).process(Self.image(40, 20))
        // Columns 10 to 29 in pairs: the first is the mean of 10 and 11, the last of 28 and 29.
        #expect((10...11).contains(result.pixels[0]))
        #expect((28...29).contains(result.pixels[9 * 4]))
    }

    @Test("a part is filled like an image of its own", arguments: [(10, 8), (30, 30), (30, 4)], [false, true])
    func fillPart(size: (Int, Int), upscales: Bool) throws {
        var target = ImageTarget(PixelSize(width: size.0, height: size.1), mode: .fill, upscales: upscales)
        let part = PixelArea(left: 25, top: 11, width: 10, height: 8)
        let alone = try CropProcessor(part).process(Self.image(40, 20))
        let expected = try ResizeProcessor(target).process(alone)
        target.part = part
        let result = try ResizeProcessor(target).process(Self.image(40, 20))
        #expect(upscales ? result.size == expected.size : result == expected)
    }

    @Test("each processor has a short name")
    func shortNames() throws {
        let target = ImageTarget.fit(width: 2)
        let radii = CornerRadii(topLeft: 1, bottomRight: 2)
        let pairs: [(any ImageProcessor, any ImageProcessor)] = [
            (.resize(target), ResizeProcessor(target)),
            (.roundedCorners(radii: radii), RoundedCornersProcessor(radii: radii)),
            (.custom(identifier: "a") { $0 }, ClosureProcessor(identifier: "a") { $0 }),
        ]
        for (short, long) in pairs {
            #expect(short.identifier == long.identifier)
            #expect(try short.process(Self.image(4, 4)) == long.process(Self.image(4, 4)))
        }
    }

    @Test("stretching does not keep the aspect ratio")
    func stretching() throws {
        let size = PixelSize(width: 4, height: 1)
        let processor = ResizeProcessor(stretchingTo: size)
        #expect(try processor.process(Self.image(3, 3)).size == size)
        let huge = ResizeProcessor(stretchingTo: PixelSize(width: .max, height: 1))
        #expect(throws: ImageDecodingError.limitExceeded(.side, value: .max, allowed: 65_535)) {
            try huge.process(Self.image(3, 3))
        }
        let wide = ResizeProcessor(stretchingTo: PixelSize(width: 65_535, height: 1))
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 16 * 65_535 * 1000, allowed: 400 << 20))
        {
            try wide.process(TestImage.plain(PixelSize(width: 1, height: 1000), [1, 2, 3, 255]))
        }
    }

    @Test("each parameter changes the identifier of a processor")
    func identifiers() {
        let (box, other) = (PixelSize(width: 10, height: 20), PixelSize(width: 20, height: 10))
        let border = ImageBorder(color: .black, width: 2)
        var processors: [any ImageProcessor] = [
            ResizeProcessor(.fit(box)), ResizeProcessor(.fit(other)), ResizeProcessor(.fill(box)),
            ResizeProcessor(ImageTarget(box, upscales: true)), ResizeProcessor(stretchingTo: box),
            ResizeProcessor(stretchingTo: other), .crop(PixelArea(left: 1, top: 2, size: box)),
            .crop(PixelArea(left: 2, top: 2, size: box)),
            .crop(PixelArea(left: 1, top: 1, size: box)), .crop(PixelArea(left: 1, top: 2, size: other)), .circle(),
            .circle(border: border),
            .circle(border: ImageBorder(color: .white, width: 2)),
            .circle(border: ImageBorder(color: .black, width: 3)),
            .roundedCorners(radius: 4), .roundedCorners(radius: 5), .roundedCorners(radius: 4, border: border),
            RoundedCornersProcessor(radii: CornerRadii(topLeft: 4)), .tint(.white), .tint(.black),
            RoundedCornersProcessor(radii: CornerRadii(topRight: 4)), .tint(.white, mode: .template),
            RoundedCornersProcessor(radii: CornerRadii(bottomLeft: 4)), .blur(sigma: 1), .blur(sigma: 1.5),
            RoundedCornersProcessor(radii: CornerRadii(bottomRight: 4)),
            RoundedCornersProcessor(radii: CornerRadii(bottomRight: 5)),
            ResizeProcessor(ImageTarget(box, usesLinearLight: true)),
            ResizeProcessor(ImageTarget(box, part: PixelArea(left: 1, top: 0, width: 2, height: 3))),
            ResizeProcessor(ImageTarget(box, part: PixelArea(left: 0, top: 1, width: 2, height: 3))),
            ResizeProcessor(ImageTarget(box, part: PixelArea(left: 1, top: 0, width: 2, height: 2))),
            ResizeProcessor(stretchingTo: box, usesLinearLight: true), .sharpen(sigma: 1), .sharpen(sigma: 2),
            .pixelate(side: 2), .pixelate(side: 3), OrientationProcessor(.left), OrientationProcessor(.right),
            BackgroundProcessor(.white), BackgroundProcessor(.black), TrimProcessor(), TrimProcessor(color: .white),
            TrimProcessor(threshold: 11), TrimProcessor(equalEdges: .vertical), AttentionCropProcessor(size: box),
            AttentionCropProcessor(size: other), CanvasProcessor(x: 1, y: 2, size: box),
            CanvasProcessor(x: 2, y: 2, size: box), CanvasProcessor(x: 1, y: 1, size: box),
            CanvasProcessor(x: 1, y: 2, size: other),
        ]
        processors += [(0, 0, 0.5, 0.5), (0.1, 0, 0.5, 0.5), (0, 0.1, 0.5, 0.5), (0, 0, 0.6, 0.5), (0, 0, 0.5, 0.6)].map
        {
            ResizeProcessor(UnitRegion(x: $0, y: $1, width: $2, height: $3), stretchedTo: box)
        }
        let mark = Self.image(1, 1)
        for (name, placement, opacity) in [
            ("a", .at(x: 1, y: 2), 1), ("b", .at(x: 1, y: 2), 1), ("a", .at(x: 2, y: 2), 1), ("a", .at(x: 1, y: 1), 1),
            ("a", .at(x: 1, y: 2), 0.5), ("a", .tiles(horizontalSpacing: 1, verticalSpacing: 2), 1),
            ("b", .tiles(horizontalSpacing: 1, verticalSpacing: 2), 1),
            ("a", .tiles(horizontalSpacing: 2, verticalSpacing: 2), 1),
            ("a", .tiles(horizontalSpacing: 1, verticalSpacing: 1), 1),
            ("a", .tiles(horizontalSpacing: 1, verticalSpacing: 2), 0.5),
        ] as [(String, WatermarkProcessor.Placement, Double)] {
            processors.append(WatermarkProcessor(mark, identifier: name, placement: placement, opacity: opacity))
        }
        #expect(Set(processors.map(\.identifier)).count == processors.count)
        let blur: any ImageProcessor = .blur(sigma: 5_000)
        let sharpen: any ImageProcessor = .sharpen(sigma: 5_000)
        #expect(blur.identifier == "gaussianBlur(1000.0)" && sharpen.identifier == "sharpen(1000.0)")
    }

    @Test("processors stop when their task is cancelled")
    func cancellation() async {
        let image = Self.image(40, 20)
        let size = PixelSize(width: 4, height: 4)
        let processors: [any ImageProcessor] = [
            ResizeProcessor(stretchingTo: size), .blur(sigma: 2), .pixelate(side: 2), .sharpen(sigma: 2),
            CanvasProcessor(x: 0, y: 0, size: size), OrientationProcessor(.left), AttentionCropProcessor(size: size),
            WatermarkProcessor(image, identifier: "a", placement: .at(x: 0, y: 0)),
        ]
        for processor in processors {
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { #expect(throws: CancellationError.self) { try processor.process(image) } }
            }
        }
    }

    @Test("each processor keeps the color space, and draws its colors in it", arguments: [255, 100] as [UInt8])
    func colorSpace(alpha: UInt8) throws {
        let size = PixelSize(width: 4, height: 4)
        let image = Bitmap(
            size: size, pixels: Self.image(4, 4, alpha: alpha).pixels, isOpaque: alpha == 255, colorSpace: .displayP3)
        let red = PixelColor(red: 255, green: 0, blue: 0)
        let processors: [any ImageProcessor] = [
            .tint(red, mode: .template), RoundedCornersProcessor(radius: 0, border: ImageBorder(color: red, width: 1)),
            WatermarkProcessor(
                TestImage.plain(size, [255, 0, 0, 255]), identifier: "red", placement: .at(x: 0, y: 0)),
            CanvasProcessor(x: 0, y: 0, size: size), OrientationProcessor(.left), .pixelate(side: 2),
            .sharpen(sigma: 1),
            ResizeProcessor(.fit(PixelSize(width: 2, height: 2))), .crop(PixelArea(size: size)), .circle(),
            .blur(sigma: 1),
        ]
        for (index, processor) in processors.enumerated() {
            let result = try processor.process(image)
            #expect(result.colorSpace == .displayP3)
            let first = Array(result.pixels.prefix(3))
            #expect(index > 2 || first == [234, 51, 35])
        }
        func pixels(_ pixels: [UInt8]) -> Bitmap {
            Bitmap(
                size: PixelSize(width: pixels.count / 4, height: 1), pixels: pixels, isOpaque: pixels[3] == 255,
                colorSpace: .displayP3)
        }
        #expect(BackgroundProcessor(red).process(pixels([0, 0, 0, 0])) == pixels([234, 51, 35, 255]))
        let bordered = pixels([234, 51, 35, 255, 0, 0, 0, 255])
        #expect(try TrimProcessor(color: red).process(bordered) == pixels([0, 0, 0, 255]))
    }

    @Test("transparency is kept and said")
    func alpha() throws {
        let target = ImageTarget(PixelSize(width: 5, height: 5))
        let result = try ResizeProcessor(target).process(Self.image(20, 20, alpha: 100))
        #expect(!result.isOpaque)
        #expect(result.pixels[3] == 100)
    }
}

@Suite("TintProcessor and ClosureProcessor")
struct TintTests {
    static let color = PixelColor(red: 200, green: 0, blue: 31, alpha: 102)

    @Test("overlay blends the color over the image and keeps its alpha")
    func overlay() {
        let image = TestImage.noise(PixelSize(width: 16, height: 9), isOpaque: false)
        let result = TintProcessor(Self.color).process(image)
        for index in stride(from: 0, to: image.pixels.count, by: 4) {
            let (pixel, tinted) = (image.pixels[index..<index + 4], result.pixels[index..<index + 4])
            let expected = zip(pixel, [200.0, 0, 31]).map { UInt8((Double($0) * 0.6 + $1 * 0.4).rounded()) }
            #expect(tinted.last == pixel.last)
            #expect(tinted.last == 0 || Array(tinted.prefix(3)) == expected)
        }
        #expect(TintProcessor(Self.color).process(TestImage.noise(image.size, isOpaque: true)).isOpaque)
    }

    @Test("template replaces the color and multiplies alpha")
    func template() {
        let image = TestImage.noise(PixelSize(width: 16, height: 9), isOpaque: false)
        let result = TintProcessor(Self.color, mode: .template).process(image)
        for index in stride(from: 0, to: image.pixels.count, by: 4) {
            let alpha = UInt8((Double(image.pixels[index + 3]) * 0.4).rounded())
            #expect(Array(result.pixels[index..<index + 4]) == (alpha == 0 ? [0, 0, 0, 0] : [200, 0, 31, alpha]))
        }
        let opaque = TestImage.noise(image.size, isOpaque: true)
        #expect(!TintProcessor(Self.color, mode: .template).process(opaque).isOpaque)
        #expect(
            TintProcessor(.black, mode: .template).process(opaque) == TestImage.plain(image.size, [0, 0, 0, 255]))
    }

    @Test("transparent pixels become zeros")
    func hidden() {
        let image = TestImage.plain(PixelSize(width: 2, height: 2), [1, 2, 3, 0])
        for mode in TintProcessor.Mode.allCases {
            #expect(TintProcessor(.white, mode: mode).process(image).pixels.allSatisfy { $0 == 0 })
        }
    }

    @Test("the identifier contains color and mode")
    func identifiers() {
        #expect(TintProcessor(Self.color).identifier == "tint(#c8001f66,overlay)")
        #expect(TintProcessor(.white, mode: .template).identifier == "tint(#ffffffff,template)")
    }

    @Test("a closure processor has the given identifier, and rethrows the error of the closure")
    func closure() throws {
        struct ClosureFailure: Error {}
        let image = TestImage.plain(PixelSize(width: 1, height: 1), [1, 2, 3, 255])
        let other = TestImage.plain(PixelSize(width: 1, height: 1), [9, 9, 9, 255])
        let processor = ClosureProcessor(identifier: "mine(1)") { $0 == image ? other : $0 }
        #expect(processor.identifier == "mine(1)")
        #expect(try processor.process(image) == other)
        #expect(throws: ClosureFailure.self) {
            try ClosureProcessor(identifier: "no") { _ in throw ClosureFailure() }.process(image)
        }
    }
}
