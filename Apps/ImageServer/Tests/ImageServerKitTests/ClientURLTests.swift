import Foundation
import ImageCore
import ImageProcessing
import Testing

@testable import ImageServerKit

/// URLs made by clients of imgproxy, and the examples of its documentation. `Clients/make-urls.py` prints the former.
@Suite struct ClientURLTests {
    private let source = "https://example.com/images/curiosity.jpg?size=large&page=2"

    private func parser() throws -> ImageURLParser {
        let pair = try #require(URLSignature.Pair(hexadecimalKey: "736563726574", salt: "68656C6C6F"))
        return ImageURLParser(signature: URLSignature([pair]))
    }

    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func parse(_ path: String) throws -> ImageURL { try parser().parse(path, now: now) }

    @Test(
        "accepts the signing examples of imgproxy's documentation",
        arguments: [
            "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8/rs:fill:300:400:0/g:sm/"
                + "aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
            "/AfrOrF3gWeDA6VOlDG4TzxMv39O7MXnF4CXpKUwGqRM/fill/300/400/sm/0/"
                + "aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
        ])
    func documentation(path: String) throws {
        let url = try parse(path)
        #expect(url.source.absoluteString == "http://example.com/images/curiosity.jpg")
        #expect(url.options.resizingType == .fill)
        #expect((url.options.width, url.options.height) == (300, 400))
        #expect(url.options.gravity == Gravity(.smart))
        #expect(!url.options.enlarges)
        #expect(url.options.format == .png)
    }

    @Test("accepts URLs of the PyPI package imgproxy")
    func pythonImgproxy() throws {
        let encoded = "aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZXMvY3VyaW9zaXR5LmpwZz9zaXplPWxhcmdlJnBhZ2U9Mg"
        let plain = try parse("/kG9jJONKB_TytqIgdELiHHeVOsR36lzOKQEVyEHCq38/g:ce/rs:auto:0:0:0/\(encoded)")
        #expect(plain.source.absoluteString == source)
        #expect(plain.options.resizingType == .auto)

        let filled = try parse(
            "/lrYajDs4xYqr5uC-9NGnDl-YhqoLx_zcJg-TYD25UXQ/g:noea/rs:fill:300:400:1/\(encoded).png")
        #expect(filled.options.gravity.anchor == .northEast)
        #expect(filled.options.enlarges && filled.options.format == .png)

        let advanced = try parse(
            "/9eF4d5unD_jG6x4F7aV9nXOqiXBNrAsmrku2whqxd0w/dpr:2/q:70/bg:ff8000/g:ce/rs:auto:300:0:0/\(encoded)")
        #expect(advanced.options.dpr == 2)
        #expect(advanced.options.quality == 70)
        #expect(advanced.options.background == PixelColor(red: 255, green: 128, blue: 0))
    }

    @Test("accepts URLs of the PyPI package imgproxy-python")
    func imgproxyPython() throws {
        let encoded = "aHR0cHM6Ly9leGFt/cGxlLmNvbS9pbWFn/ZXMvY3VyaW9zaXR5/LmpwZz9zaXplPWxh/cmdlJnBhZ2U9Mg"
        let fitted = try parse("/7YuvtyzJbO1dR9_AvaSWhlKr5JnfdlecpxtV5ypo1Mc/fit/300/400/ce/0/\(encoded)")
        #expect(fitted.source.absoluteString == source)
        #expect((fitted.options.width, fitted.options.height) == (300, 400))

        let filled = try parse("/Iqypm14MFX--U2QnpHI9MI6spRm4pgn3-ziZtT-jObA/fill/300/200/so/1/\(encoded).png")
        #expect(filled.options.gravity.anchor == .south)
        #expect(filled.options.enlarges && filled.options.format == .png)
    }

    @Test("accepts unsigned URLs of a client only without a key")
    func unsigned() throws {
        let path = "/insecure/g:ce/rs:auto:120:0:0/aHR0cHM6Ly9leGFtcGxlLmNvbS9hLmpwZw.webp"
        #expect(throws: URLFailure.wrongSignature) { try parse(path) }
        let url = try ImageURLParser(signature: nil).parse(path, now: now)
        #expect(url.options.width == 120 && url.options.format == .webP)
    }
}
