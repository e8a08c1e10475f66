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
        #expect(ImageCacheKey(identifier: "ab", processors: ["c"], account: "de").byteCount == 5)
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

    /// The same letters, composed and decomposed, and two orders of combining marks.
    @Test(
        "texts that are only canonically equivalent are different keys, in memory and on disk",
        arguments: [("\u{E9}", "e\u{301}"), ("\u{212B}", "A\u{30A}"), ("a\u{301}\u{316}", "a\u{316}\u{301}")])
    func bytes(_ left: String, _ right: String) {
        #expect(left == right)
        #expect(ImageCacheKey(identifier: left) != ImageCacheKey(identifier: right))
        #expect(
            ImageCacheKey(identifier: "a", processors: [left]) != ImageCacheKey(identifier: "a", processors: [right]))
        #expect(DataCacheKey(identifier: left) != DataCacheKey(identifier: right))
        #expect(Set([left, right].map { DataCacheKey(identifier: $0) }).count == 2)
        let requests = [left, right].map { ImageRequest(.fetch(name: $0) { Data() }) }
        #expect(requests[0] != requests[1] && requests[0].original != requests[1].original)
        #expect(Set(requests).count == 2)
    }
}
