import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite("URLs of variants")
struct VariantURLTests {
    private static let server = address("https://i.example")
    private static let source = address("https://o.example/p/a.jpg?v=2")
    private static let encoded = "https%3A%2F%2Fo.example%2Fp%2Fa.jpg%3Fv%3D2"

    private static func address(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("no URL: \(text)") }
        return url
    }

    private func url(
        _ variants: ImageVariants, _ target: ImageTarget = .fill(width: 300, height: 200),
        of source: URL = Self.source, decoded: [ImageFormat] = [.jpeg, .webP], isLowData: Bool = false
    ) -> String? {
        variants.choice(of: source, for: target, decoded: decoded, isLowData: isLowData)?.url.absoluteString
    }

    // The forms are those of the documentation of each service.
    @Test(
        "each service gets size, mode, quality and format in its own form",
        arguments: [
            (.imgproxy(server), "https://i.example/unsafe/rs:fill:363:242/q:80/plain/\(encoded)@webp"),
            (
                .thumbor(server),
                "https://i.example/unsafe/363x242/filters:no_upscale():quality(80):format(webp)/\(encoded)"
            ),
            (
                .cloudinary(cloud: "demo"),
                "https://res.cloudinary.com/demo/image/fetch/c_lfill,w_363,h_242,q_80,f_webp/\(encoded)"
            ),
            (.imgix(domain: "e.imgix.net"), "https://e.imgix.net/p/a.jpg?v=2&fit=min&q=80&w=363&h=242&fm=webp"),
            (
                .cloudflare(zone: server),
                "https://i.example/cdn-cgi/image/fit=crop,quality=80,width=363,height=242,format=webp/\(source)"
            ),
            (.next(server), "https://i.example/_next/image?url=\(encoded)&w=384&q=75"),
        ] as [(ImageVariants, String)])
    func services(variants: ImageVariants, expected: String) {
        #expect(url(variants) == expected)
    }

    @Test(
        "without a common format and a height, the server chooses both",
        arguments: [
            (.imgproxy(server), "https://i.example/unsafe/rs:fit:32:0/q:80/plain/\(encoded)"),
            (.thumbor(server), "https://i.example/unsafe/fit-in/32x0/filters:no_upscale():quality(80)/\(encoded)"),
            (
                .cloudinary(cloud: "demo"),
                "https://res.cloudinary.com/demo/image/fetch/c_limit,w_32,q_80,f_auto/\(encoded)"
            ),
            (.imgix(domain: "e.imgix.net"), "https://e.imgix.net/p/a.jpg?v=2&fit=max&q=80&w=32&auto=format"),
            (
                .cloudflare(zone: server),
                "https://i.example/cdn-cgi/image/fit=scale-down,quality=80,width=32,format=auto/\(source)"
            ),
            (.next(server), "https://i.example/_next/image?url=\(encoded)&w=32&q=75"),
        ] as [(ImageVariants, String)])
    func leftToServer(variants: ImageVariants, expected: String) {
        #expect(url(variants, .fit(width: 1), decoded: [.jpeg]) == expected)
    }

    @Test(
        "a server can have a path, and an original another port, a fragment and any characters",
        arguments: [
            (
                .imgproxy(address("https://i.example/x/")),
                "https://i.example/x/unsafe/rs:fit:242:363/q:80/plain/ENCODED@jpg"
            ),
            (.imgix(domain: "e.imgix.net"), "https://e.imgix.net/%C3%BC~_-/a+b?fit=max&q=80&w=242&h=363&fm=jpg"),
            (.next(server), "https://i.example/_next/image?url=ENCODED&w=256&q=75"),
        ] as [(ImageVariants, String)])
    func unusual(variants: ImageVariants, expected: String) {
        var variants = variants
        variants.formats = [.jpeg]
        let source = Self.address("https://o.example:8443/%C3%BC~_-/a+b#f")
        let encoded = "https%3A%2F%2Fo.example%3A8443%2F%25C3%25BC~_-%2Fa%2Bb%23f"
        #expect(
            url(variants, .fit(width: 200, height: 300), of: source)
                == expected.replacingOccurrences(of: "ENCODED", with: encoded))
    }

    @Test("a service without heights gets the width that fills a taller area")
    func tallArea() {
        let url = url(.next(Self.server), .fill(width: 100, height: 400))
        #expect(url?.contains("&w=640&") == true)
    }

    @Test("a side of any length is left out, with nothing to fill, and steps need no order")
    func oneSide() {
        var variants = ImageVariants.imgproxy(Self.server)
        variants.steps = [400, 300, 0, 350]
        for isLowData in [false, true] {
            let url = url(variants, .fill(width: 300, height: 65_535), isLowData: isLowData)
            #expect(url?.contains("/rs:fit:300:0/") == true)
        }
    }

    // In Python: base64.urlsafe_b64encode(hmac.new(b"key", b"salt" + path.encode(), "sha256").digest()), where path is what
    // follows the signature. imgproxy signs the slash before it, too, and leaves out the padding.
    @Test("paths are signed as imgproxy, imagor and thumbor sign them")
    func signatures() {
        let salted = ImageVariants.hmacSHA256(key: Array("key".utf8), salt: Array("salt".utf8))
        #expect(
            url(.imgproxy(Self.server, sign: salted))?.contains("/L-ejIGHLpcAHgjMoqohcmIt1UqVdk7DopJ8ZYADv8qw/rs:fill")
                == true)
        let plain = ImageVariants.hmacSHA256(key: Array("key".utf8))
        #expect(
            url(.thumbor(Self.server, sign: plain))?.contains("/4_6BiV9Pfh9JQCIs5k_TSw5ZoV12mFwhequEc9lHUuU=/363x242")
                == true)
        let long = ImageVariants.hmacSHA256(key: Array(repeating: UInt8(ascii: "k"), count: 65))
        #expect(
            url(.imgproxy(Self.server, sign: long))?.contains("/wn0U5sx1iA4RCsTZU_WReQNb_gnMCZhJyhlhgKofJGU/rs:fill")
                == true)
    }

    private static let sides = [1, 31, 32, 33, 50, 299, 300, 1_000, 3_363, 4_202]

    @Test(
        "a variant is never larger than the next step, keeps the ratio, and is equal for equal input", arguments: sides)
    func sizes(side: Int) throws {
        let variants = ImageVariants { variant in
            URL(string: "http://i.example/\(variant.width ?? 0)/\(variant.height ?? 0)")
        }
        for other in Self.sides where other <= side {
            let target = ImageTarget.fill(width: other, height: side)
            let text = try #require(url(variants, target))
            #expect(text == url(variants, target))
            let (width, height) = try #require(Self.size(in: text))
            let step = try #require(ImageVariants.standardSteps.first { $0 >= side })
            #expect(height == step)
            #expect(width * side >= other * step && (width - 1) * side < other * step)
            let low = try #require(url(variants, target, isLowData: true).flatMap(Self.size))
            #expect(side <= 32 ? low.1 == 32 : low.1 < side || low.1 < step)
        }
    }

    private static func size(in text: String) -> (Int, Int)? {
        let parts = text.split(separator: "/").suffix(2).compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    @Test("targets above the last step, without a limit, and variants without steps have the original")
    func originals() {
        var variants = ImageVariants.imgproxy(Self.server)
        #expect(url(variants, .fit(width: 4_203)) == nil)
        #expect(url(variants, .fit()) == nil)
        #expect(url(variants, .fit(PixelSize(width: 65_535, height: 65_535))) == nil)
        for steps in [[], [0, -1]] {
            variants.steps = steps
            #expect(url(variants) == nil)
        }
    }

    @Test("qualities are clamped, and low data has its own", arguments: [Int.min, 0, 1, 100, 101, .max])
    func qualities(quality: Int) {
        var variants = ImageVariants { URL(string: "http://i.example/\($0.quality)") }
        (variants.quality, variants.lowDataQuality) = (quality, 50)
        #expect(url(variants) == "http://i.example/\(min(max(quality, 1), 100))")
        #expect(url(variants, isLowData: true) == "http://i.example/50")
        for service in [ImageVariants.imgproxy(Self.server), .thumbor(Self.server), .imgix(domain: "i.example")] {
            variants = service
            variants.quality = 33
            #expect(url(variants)?.contains("33") == true)
        }
    }
}
