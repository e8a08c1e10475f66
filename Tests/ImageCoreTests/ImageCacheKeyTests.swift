import ImageCore
import Testing

@Suite("ImageCacheKey")
struct ImageCacheKeyTests {
    /// Distinct keys.
    private static let keys: [ImageCacheKey] = {
        let size = PixelSize(width: 300, height: 200)
        let targets: [ImageTarget?] = [
            nil, ImageTarget(size), ImageTarget(size, mode: .fill), ImageTarget(size, upscales: true),
            ImageTarget(size, preference: .speed), ImageTarget(size.transposed),
        ]
        let processors = [[], ["blur"], ["blur", "round"], ["round", "blur"], ["blurround"], [""]]
        return ["", "a", "https://images.test/ä.jpg"].flatMap { source in
            targets.flatMap { target in
                processors.flatMap { processors in
                    [OutputColor.sRGB, .displayP3, .automatic].map {
                        ImageCacheKey(identifier: source, target: target, color: $0, processors: processors)
                    }
                }
            }
        }
    }()

    @Test("a key has the parts that it was created with")
    func parts() {
        let target = ImageTarget(PixelSize(width: 1, height: .max), mode: .fill, upscales: true, preference: .speed)
        let key = ImageCacheKey(identifier: "https://images.test/ä.jpg", target: target, processors: ["", "blur"])
        #expect(key.identifier == "https://images.test/ä.jpg")
        #expect(key.target == target)
        #expect(key.processors == ["", "blur"])
        let plain = ImageCacheKey(identifier: "")
        #expect(plain.identifier.isEmpty && plain.target == nil && plain.processors.isEmpty)
        let processed = ImageCacheKey(identifier: "a", processors: ["blur"])
        #expect(processed.target == nil && processed.processors == ["blur"])
    }

    @Test("keys are equal if all their parts are equal")
    func equality() {
        for (index, key) in Self.keys.enumerated() {
            for (other, otherKey) in Self.keys.enumerated() { #expect((key == otherKey) == (index == other)) }
            let again = ImageCacheKey(
                identifier: key.identifier, target: key.target, color: key.color, processors: key.processors)
            #expect(again == key && again.hashValue == key.hashValue)
        }
        #expect(Set(Self.keys).count == Self.keys.count)
    }
}
