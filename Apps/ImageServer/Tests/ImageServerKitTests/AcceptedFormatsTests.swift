import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct AcceptedFormatsTests {
    private func choices(
        _ accept: String?, of source: ImageFormat, hasAlpha: Bool = false, frames: Int = 1,
        rules: FormatRules = FormatRules()
    ) -> [ImageFormat] {
        let header = ImageHeader(
            format: source, storedSize: PixelSize(width: 1, height: 1), frameCount: frames, hasAlpha: hasAlpha)
        return AcceptedFormats(accept: accept, rules: rules).choices(for: header, isAnimated: frames > 1)
    }

    private func format(
        _ accept: String?, of source: ImageFormat, hasAlpha: Bool = false, frames: Int = 1,
        rules: FormatRules = FormatRules()
    ) -> ImageFormat? {
        let choices = choices(accept, of: source, hasAlpha: hasAlpha, frames: frames, rules: rules)
        return choices.count == 1 ? choices[0] : nil
    }

    @Test(
        "chooses WebP only if it is named",
        arguments: [
            ("image/webp", ImageFormat.webP), ("image/png, image/webp;q=0.8", .webP), ("IMAGE/WebP", .webP),
            ("image/webp;q=0", .jpeg), ("image/webp; q=0.0, */*", .jpeg), ("*/*", .jpeg), ("image/*", .jpeg),
            ("", .jpeg),
        ])
    func webp(accept: String, expected: ImageFormat) { #expect(format(accept, of: .jpeg) == expected) }

    #if AVIF
        @Test("prefers AVIF to WebP if the rules allow it, and leaves it to the size of animations")
        func avif() {
            #expect(format("image/webp,image/avif", of: .jpeg) == .webP)
            let rules = FormatRules(automatic: [.webP, .avif])
            #expect(format("image/webp,image/avif", of: .jpeg, rules: rules) == .avif)
            #expect(choices("image/webp,image/avif", of: .gif, frames: 2, rules: rules) == [.avif, .webP])
            #expect(choices("image/avif", of: .gif, frames: 2, rules: rules) == [.avif])
            #expect(choices("image/webp,image/avif", of: .gif, frames: 2) == [.webP])
            let header = ImageHeader(format: .gif, storedSize: PixelSize(width: 1, height: 1), frameCount: 2)
            let both = AcceptedFormats(accept: "image/webp,image/avif", rules: rules)
            #expect(both.choices(wanted: .avif, for: header, isAnimated: true) == [.avif])
        }
    #endif

    #if JXL
        @Test("an animation is JPEG XL for clients that accept nothing else, because Safari shows only its first frame")
        func jpegXL() {
            let rules = FormatRules(automatic: [.webP, .jpegXL])
            #expect(format("image/webp,image/jxl", of: .gif, rules: rules) == .jpegXL)
            #expect(format("image/webp,image/jxl", of: .gif, frames: 2, rules: rules) == .webP)
            #expect(format("image/jxl", of: .gif, frames: 2, rules: rules) == .jpegXL)
        }
    #endif

    @Test("keeps the format of the source otherwise")
    func sources() {
        #expect(format(nil, of: .png) == .png)
        #expect(format(nil, of: .gif) == .gif)
        #expect(format(nil, of: .webP) == .jpeg)
        #expect(format(nil, of: .webP, hasAlpha: true) == .png)
        #expect(format(nil, of: .webP, frames: 2) == .gif)
        #expect(format("image/webp", of: .gif, frames: 2) == .webP)
    }

    @Test("has equal keys for clients with equal formats")
    func keys() {
        let keys = ["image/webp, */*", "image/webp", nil].map { AcceptedFormats(accept: $0).cacheKey(nil) }
        #expect(keys[0] == keys[1] && keys[1] != keys[2])
    }

    @Test("the key for a format of a URL has the formats in its place only, because other rules may choose more")
    func enforcedKeys() {
        let automatic = AcceptedFormats(accept: "image/webp")
        let enforced = AcceptedFormats(accept: "image/webp", rules: FormatRules(automatic: [], enforced: [.webP]))
        #expect(automatic.cacheKey(.jpeg) == AcceptedFormats(accept: nil).cacheKey(.jpeg))
        #expect(automatic.cacheKey(.jpeg) != enforced.cacheKey(.jpeg))
        #expect(automatic.cacheKey(nil) == enforced.cacheKey(nil))
    }
}
