import ImageCore
import ImageProcessing
import Testing

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
