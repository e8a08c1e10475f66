import Foundation
import ImageCore
import Testing

@Suite("Targets")
struct ImageTargetTests {
    @Test("a target with one side limits only that side")
    func oneSide() {
        let image = PixelSize(width: 400, height: 90_000)
        #expect(DecodingRequest(target: .fit(width: 200)).outputSize(for: image) == .init(width: 200, height: 45_000))
        #expect(DecodingRequest(target: .fit(height: 900)).outputSize(for: image) == .init(width: 4, height: 900))
        #expect(DecodingRequest(target: .fit(width: 500)).outputSize(for: image) == image)
        #expect(ImageTarget.fit(width: 3, height: 2) == .fit(PixelSize(width: 3, height: 2)))
        #expect(ImageTarget.fill(width: 3, height: 2) == .fill(PixelSize(width: 3, height: 2)))
    }

    @Test("targets, formats and priorities are read back from JSON")
    func coding() throws {
        let target = ImageTarget(
            PixelSize(width: 3, height: .max), mode: .fill, upscales: true, preference: .speed,
            part: PixelArea(left: 1, top: 2, width: 3, height: 4))
        #expect(try JSONDecoder().decode(ImageTarget.self, from: JSONEncoder().encode(target)) == target)
        let older = #"{"size":{"width":9,"height":1},"mode":"fit","upscales":false,"preference":"quality"}"#
        #expect(
            try JSONDecoder().decode(ImageTarget.self, from: Data(older.utf8)) == .fit(width: 9, height: 1),
            "without linear light")
        let formats = try JSONDecoder().decode([ImageFormat].self, from: Data(#"["webp"]"#.utf8))
        #expect(formats == [.webP])
        let priorities = RequestPriority.allCases
        #expect(try JSONDecoder().decode([RequestPriority].self, from: JSONEncoder().encode(priorities)) == priorities)
    }

    @Test(
        "a part is what is inside of the image, and at least a pixel",
        arguments: [
            (PixelArea(left: -3, top: 2, width: 9, height: 3), PixelArea(left: 0, top: 2, width: 6, height: 3)),
            (PixelArea(left: 8, top: 5, width: .max, height: 9), PixelArea(left: 8, top: 5, width: 2, height: 1)),
            (PixelArea(left: 10, top: 6, width: 1, height: 1), PixelArea(left: 9, top: 5, width: 1, height: 1)),
            (PixelArea(left: .min, top: 1, width: 2, height: -5), PixelArea(left: 0, top: 1, width: 1, height: 1)),
        ])
    func part(_ part: PixelArea, inside expected: PixelArea) {
        let image = PixelSize(width: 10, height: 6)
        #expect(part.inside(image) == expected)
        let whole = ImageTarget(PixelSize(width: 90, height: 90), part: part)
        #expect(whole.outputSize(for: image) == expected.size)
        #expect(
            whole.region(of: image)
                == PixelRegion(
                    x: Double(expected.left), y: Double(expected.top), width: Double(expected.width),
                    height: Double(expected.height)))
    }

    @Test("a side below 1 in JSON is an error")
    func invalidCoding() {
        let text = #"{"size":{"width":20,"height":0},"mode":"fit","upscales":false,"preference":"quality"}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ImageTarget.self, from: Data(text.utf8)) }
    }
}
