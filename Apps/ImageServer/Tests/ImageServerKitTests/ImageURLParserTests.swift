import Foundation
import ImageCore
import ImageLoading
import ImageProcessing
import Testing

@testable import ImageServerKit

@Suite struct ImageURLParserTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let source = "plain/http://example.com/a.jpg"

    private func parse(_ path: String, presets: [String] = [], base: SourceBase = SourceBase()) throws -> ImageURL {
        try ImageURLParser(signature: nil, presets: Presets(presets), base: base).parse(path, now: now)
    }

    private func options(_ text: String) throws -> ProcessingOptions { try parse("/_/\(text)/\(source)").options }

    private func failure(_ path: String, presets: [String] = []) -> URLFailure? {
        #expect(throws: URLFailure.self) { try parse(path, presets: presets) }
    }

    @Test("reads the URLs of a loader's variants, signed or not")
    func variants() throws {
        let key = try #require(URLSignature.Pair(hexadecimalKey: "6b6579", salt: "73616c74"))
        let parser = ImageURLParser(signature: URLSignature([key]))
        let server = try #require(URL(string: "http://images.example"))
        let sign = ImageVariants.hmacSHA256(key: Array("key".utf8), salt: Array("salt".utf8))
        for source in ["http://example.com/a.jpg", "https://example.com/a%20b@2.jpg?x=1&y=%2F"] {
            let variant = ImageVariant(
                source: try #require(URL(string: source)), width: 363, height: nil, mode: .fit, quality: 80,
                format: .webP)
            for (variants, parser) in [
                (ImageVariants.imgproxy(server, sign: sign), parser), (.imgproxy(server), .init(signature: nil)),
            ] {
                let url = try #require(variants.url(for: variant))
                let read = try parser.parse(url.path(percentEncoded: true), now: now)
                #expect(read.source == variant.source)
                #expect(read.options.width == 363 && read.options.height == 0 && read.options.quality == 80)
                #expect(read.options.format == .webP && read.options.resizingType == .fit)
            }
        }
    }

    @Test(
        "reads plain sources",
        arguments: [
            ("plain/http://example.com/a.jpg", "http://example.com/a.jpg"),
            ("plain/http:/example.com/a.jpg", "http://example.com/a.jpg"),
            ("plain/https:/example.com/a.jpg", "https://example.com/a.jpg"),
            ("plain/http%3A%2F%2Fexample.com%2Fa.jpg%3Fb=c", "http://example.com/a.jpg?b=c"),
            ("plain/http://example.com/a%2520b.jpg", "http://example.com/a%20b.jpg"),
            ("plain/http://example.com/user%40home.jpg", "http://example.com/user@home.jpg"),
            ("plain/http://example.com/a:b/c.jpg", "http://example.com/a:b/c.jpg"),
            ("plain/local:///a.jpg", "local:///a.jpg"),
            ("plain/http://h/a%20b.png", "http://h/a%20b.png"),
            ("plain/http://h/a%2520[1].png", "http://h/a%20%5B1%5D.png"),
            ("plain/http://h/a%2520%7Bb%7D%7C%5E%22%60%3C%3E.png", "http://h/a%20%7Bb%7D%7C%5E%22%60%3C%3E.png"),
            ("plain/http://h/ü%2520%C3%BC.png", "http://h/%C3%BC%20%C3%BC.png"),
            ("plain/http://h/%FF%2520.png", "http://h/%FF%20.png"),
            ("plain/http://h/a%252Fb%253Fc.png", "http://h/a%2Fb%3Fc.png"),
            ("plain/http://h/100%25.png", "http://h/100%25.png"),
            ("plain/http://h/a%3Fq=%255B1%255D[2]%26r=ü", "http://h/a?q=%5B1%5D%5B2%5D&r=%C3%BC"),
        ])
    func plainSources(text: String, url: String) throws {
        #expect(try parse("/_/\(text)").source.absoluteString == url)
        #expect(try parse("/_/w:10/\(text)@png").source.absoluteString == url)
        #expect(try parse("/_/w:10/\(text)@png").options.format == .png)
    }

    @Test(
        "reads Base64 sources with and without padding, slashes and an extension",
        arguments: [
            ("aHR0cDovL2EuYi9jZA", nil), ("aHR0cDovL2EuYi9jZA==", nil), ("aHR0cDov/L2EuYi/9jZA", nil),
            ("aHR0cDovL2EuYi9jZA.webp", ImageFormat.webP), ("aHR0cDovL2EuYi9jZA==.gif", .gif),
        ])
    func encodedSources(text: String, format: ImageFormat?) throws {
        let url = try parse("/_/w:1/\(text)")
        #expect(url.source.absoluteString == "http://a.b/cd")
        #expect(url.options.format == format)
    }

    @Test(
        "keeps the escapes of Base64 sources, and encodes what needs it",
        arguments: [
            ("http://h/a%20[1].png", "http://h/a%20%5B1%5D.png"),
            ("http://h/ü{}%20.png", "http://h/%C3%BC%7B%7D%20.png"),
            ("http://h/a%5B1%5D b.png?q=[%20]", "http://h/a%5B1%5D%20b.png?q=%5B%20%5D"),
        ])
    func escapesInBase64(source: String, url: String) throws {
        #expect(try parse("/_/w:1/\(Base64URL.encode(source.utf8))").source.absoluteString == url)
    }

    @Test(
        "restores what proxies change in unsigned URLs",
        arguments: [
            ("w%3A5/plain/http%3A//h/a.jpg", "http://h/a.jpg"), ("w:5/plain/http%3A/h/a.jpg", "http://h/a.jpg"),
            ("w%3a5/plain/https:/h:8080/a:b.jpg", "https://h:8080/a:b.jpg"),
            ("w:5/plain/file:/srv/a.jpg", "file:///srv/a.jpg"), ("w%3A5/aHR0cDovL2EuYi9jZA", "http://a.b/cd"),
        ])
    func restoredPaths(text: String, url: String) throws {
        let parsed = try parse("/_/\(text)")
        #expect(parsed.source.absoluteString == url && parsed.options.width == 5)
    }

    @Test("puts the base URL in front of sources")
    func baseURL() throws {
        #expect(
            try parse("/_/plain/a/b.jpg", base: SourceBase(prefix: "https://e.org/")).source.absoluteString
                == "https://e.org/a/b.jpg")
        #expect(
            try parse("/_/plain/https://e.org/b.jpg", base: SourceBase(prefix: "https://e.org/")).source.absoluteString
                == "https://e.org/b.jpg")
    }

    @Test(
        "refuses paths without a usable source",
        arguments: [
            ("/", .missingSource), ("/_", .missingSource), ("/_/", .missingSource), ("/_/w:1", .missingSource),
            ("/_/plain/", .missingSource), ("/_/plain/@png", .missingSource),
            ("/_/plain/a.jpg", .malformedSource("not a complete URL")),
            ("/_/plain/http://a/b@png@jpg", .malformedSource("more than one @: encode it as %40")),
            ("/_/plain/http://a/%zz", .malformedSource("a % without two digits")),
            ("/_/plain/http://a/%0D%0AX", .malformedSource("control characters must be percent-encoded")),
            ("/_/aHR0cDovL2EuYi9jZA.png.jpg", .malformedSource("more than one dot in Base64")),
            ("/_/enc/abc", .unsupportedOption("enc", "encrypted sources are not supported")),
            ("/_/plain/http://a/b@tiff", .unknownFormat("tiff")),
            ("/_/blurr/plain/http://a/b", .unknownOption("blurrplainhttp:")),
        ] as [(String, URLFailure)])
    func badSources(path: String, expected: URLFailure) {
        guard case .unknownOption = expected else {
            #expect(failure(path) == expected)
            return
        }
        #expect(failure(path) != nil)
    }

    @Test("refuses a path that is too long")
    func longPath() { #expect(failure("/_/plain/http://a/" + String(repeating: "b", count: 9_000)) == .missingSource) }

    @Test("names the unknown option")
    func unknownOptions() {
        #expect(failure("/_/gradient:0.5/\(source)") == .unknownOption("gradient"))
        #expect(failure("/_/w:1/saturation:2/\(source)") == .unknownOption("saturation"))
        #expect(failure("/_/:1/\(source)") == .unknownOption(""))
        #expect("\(URLFailure.unknownOption("gradient"))" == "unknown option: gradient")
    }

    @Test("reads sizes by long and short names")
    func sizes() throws {
        for text in [
            "rs:fill:300:200:1", "resize:fill:300:200:true", "rt:fill/w:300/h:200/el:t",
            "resizing_type:fill/size:300:200:1", "s:300:200/rt:fill/enlarge:1",
        ] {
            let options = try options(text)
            #expect((options.resizingType, options.width, options.height, options.enlarges) == (.fill, 300, 200, true))
        }
        #expect(try options("mw:5/min-height:6").minWidth == 5)
        #expect(try options("mw:5/min-height:6").minHeight == 6)
        #expect(try options("z:2").zoom.y == 2)
        #expect(try options("zoom:2:3").zoom.y == 3)
        #expect(try options("rs::300").resizingType == .fit)
        #expect(try options("rs:fit:10:10:0:1:so").extends == .init(isEnabled: true, gravity: Gravity(.south)))
    }

    @Test("reads areas and filters")
    func areas() throws {
        let crop = try options("c:0.5:100:fp:0.25:0.75").crop
        #expect((crop.width, crop.height, crop.gravity) == (0.5, 100, Gravity(.focusPoint, x: 0.25, y: 0.75)))
        #expect(try options("g:soea:10:0.5").gravity == Gravity(.southEast, x: 10, y: 0.5))
        #expect(try options("pd:1").padding == .init(top: 1, right: 1, bottom: 1, left: 1))
        #expect(try options("pd:1:2").padding == .init(top: 1, right: 2, bottom: 1, left: 2))
        #expect(try options("padding:1:2:3:4").padding == .init(top: 1, right: 2, bottom: 3, left: 4))
        #expect(try options("rot:-90").rotation == 270)
        #expect(try options("ar:0").rotatesAutomatically == false)
        #expect(try options("bg:1:2:3").background == PixelColor(red: 1, green: 2, blue: 3))
        #expect(try options("bg:f80").background == PixelColor(red: 255, green: 136, blue: 0))
        #expect(try options("bg:ffffff/bg:").background == nil)
        #expect(try options("bl:1.5").blur == 1.5)
        let trim = ProcessingOptions.Trim(threshold: 6, equalsHorizontally: true, equalsVertically: true)
        #expect(try options("t:5:f00:1:1/t:6").trim == trim && options("t:5/t:").trim == nil)
    }

    @Test("reads outputs and deliveries")
    func outputs() throws {
        #expect(try options("q:80/f:webp").format == .webP)
        #expect(try options("ext:jpeg").format == .jpeg && options("f:PNG").format == .png)
        #expect(try options("fq:jpg:70:webp:60").formatQuality == [.jpeg: 70, .webP: 60])
        #expect(try options("mb:10000").maxBytes == 10_000)
        #expect(try options("skp:gif:png").unprocessedFormats == [.gif, .png])
        #expect(try options("fn:a%20b").filename == "a b")
        #expect(try options("fn:YSBi:1").filename == "a b")
        #expect(try options("att:1").isAttachment)
        #expect(try options("cb:v1:2").cacheBuster == "v1:2")
    }

    @Test(
        "refuses arguments outside of their range",
        arguments: [
            "w:-1", "w:1.5", "w:a", "w:1:2", "w:99999999999999999999", "rs:stretch:1:1", "dpr:0", "dpr:-1", "dpr:nan",
            "g:up", "g:fp:2:0", "g:no:0:0:0", "g:sm:1", "ex:1:sm", "rs:fit:1:1:0:1:sm", "exar:1:sm", "c:-1", "c:nan",
            "pd:-1", "pd:1:2:3:4:5", "rot:45", "bg:12", "bg:256:0:0", "bg:ffffff:1", "bl:-1", "bl:inf", "q:101", "q:-1",
            "fq:jpg", "fq:jpg:101", "mb:-5", "exp:x", "fn:%FF", "z:0", "z:1:0",
        ])
    func invalidArguments(text: String) {
        guard case .invalidArguments = failure("/_/\(text)/\(source)") else {
            Issue.record("\(text) was not refused for its arguments")
            return
        }
    }

    @Test("accepts options with a fixed value only with that value")
    func fixedValues() throws {
        #expect(try options("sm:1/kcr:1/eth:1/eth:0/raw:0/ph:1/preserve_hdr:f") == ProcessingOptions())
        for text in ["msr:5", "max_result_dimension:100"] {
            guard case .unsupportedOption = failure("/_/\(text)/\(source)") else {
                Issue.record("\(text) was not refused")
                return
            }
        }
    }

    @Test(
        "leaves out what is left out",
        arguments: [
            ("pd::5", [0, 5, 0, 5]), ("pd:", [0, 0, 0, 0]), ("pd:1::3", [1, 1, 3, 1]), ("pd:::7", [0, 0, 7, 0]),
            ("pd::::9", [0, 0, 0, 9]), ("pd:1:2:3:4/pd::5", [1, 5, 1, 5]), ("pd:0:0:0:0", [0, 0, 0, 0]),
        ])
    func partialPadding(text: String, expected: [Int]) throws {
        let padding = try options(text).padding
        #expect([padding.top, padding.right, padding.bottom, padding.left] == expected)
    }

    @Test("limits what is beyond its limits, and keeps what is empty")
    func extremes() throws {
        #expect(try options("w:65536/h:99999999").width == 65_536)
        #expect(try options("h:99999999999").height == OptionTable.maxSide)
        #expect(try options("dpr:10").dpr == 10)
        #expect(try options("dpr:1e300").dpr == 1_000 && options("dpr:0.00001").dpr == 0.001)
        #expect(try options("z:1e9:1e-9").zoom == .init(x: 1_000, y: 0.001))
        #expect(try options("c:1e300:0").crop.width == Double(OptionTable.maxSide))
        #expect(try options("bl:1e9").blur == 1_000 && options("bl:0").blur == 0)
        #expect(try options("mb:9999999999999").maxBytes == 9_999_999_999_999)
        #expect(try options("rot:-999999990").rotation == 90)
        #expect(try options("el:maybe").enlarges == false && options("el:TRUE").enlarges)
        #expect(try options("q:50/q:0").quality == 0)
        #expect(try options("exp:-5/exp:0").expires == 0)
        #expect(
            try options("w:/h:/mw:/z:/dpr:/el:/ex:/g:/c:/ar:/rot:/bl:/pix:/q:/mb:/f:/cb:/att:/pd:")
                == ProcessingOptions())
    }

    @Test("knows the formats that it can't read or write")
    func knownFormats() throws {
        #expect(try options("skp:svg:gif:heic").unprocessedFormats == [.svg, .gif, .heic])
        #expect(try options("fq:webp:0").formatQuality.isEmpty)
        #expect(try options("fq:webp:50/fq:webp:0").formatQuality.isEmpty)
        #expect(try options("fq:avif:50:jxl:60:tiff:1").formatQuality.count == 3)
        #expect(failure("/_/skp:exe/\(source)") == .unknownFormat("exe"))
    }

    @Test("refuses expired URLs")
    func expiry() throws {
        #expect(try options("exp:1700000001").expires == 1_700_000_001)
        #expect(failure("/_/exp:1699999999/\(source)") == .expired(1_699_999_999))
    }

    @Test("applies presets, in order, with later options on top")
    func presets() throws {
        let presets = ["default=q:50", "small=w:10/h:10", "# a comment", "", "sharp = pr:small/bl:2"]
        let url = try parse("/_/pr:sharp/h:20/\(source)", presets: presets)
        #expect((url.options.quality, url.options.width, url.options.height, url.options.blur) == (50, 10, 20, 2))
        #expect(failure("/_/pr:missing/\(source)", presets: presets) == .unknownPreset("missing"))
    }

    @Test("refuses presets that can't be applied")
    func invalidPresets() {
        #expect(throws: Presets.Failure.malformed("abc")) { try Presets(["abc"]) }
        #expect(throws: Presets.Failure.invalid("a", .unknownOption("nope"))) { try Presets(["a=nope:1"]) }
        #expect(throws: Presets.Failure.invalid("a", .recursivePreset("a"))) { try Presets(["a=pr:b", "b=pr:a"]) }
    }

    @Test("gives different keys to different results, and equal keys to equal ones")
    func cacheKeys() throws {
        let texts = [
            "w:1", "h:1", "rt:fill", "mw:1", "z:2", "dpr:2", "el:1", "ex:1", "exar:1", "g:no", "c:1", "pd:1",
            "ar:0", "rot:90", "bg:fff", "bl:1", "pix:2", "q:1", "fq:jpg:1", "mb:1", "cb:1", "skp:png", "mh:1", "scp:0",
            "sm:0", "kcr:0",
            "g:no:1",
            "c:0:1", "c:1:1:no", "ex:1:no", "exar:1:no", "fl:1", "fl:0:1", "t:5", "t:6", "t:5:f00", "t:5::1", "t:5:::1",
            "sh:1", "wm:1", "wm:0.5", "wm:1:re", "wm:1:ce:1", "wm:1:ce:0:1", "wm:1:ce:0:0:1", "raw:1", "lin:1", "ph:1",
        ]
        var allowed = ProcessingOptions()
        allowed.limits = .init()
        let limits = ["msr:1", "msfs:1", "maf:1", "mafr:1", "mafr:0", "mrd:1"]
        let keys =
            try texts.map { try options($0).cacheKey }
            + limits.map { try ProcessingOptions.parsed($0, allowed).cacheKey }
            + [ProcessingOptions().cacheKey]
        #expect(Set(keys).count == keys.count)
        #expect(try options("fn:a/att:1/exp:9999999999/f:png").cacheKey == ProcessingOptions().cacheKey)
        #expect(try options("w:1/h:2").cacheKey == options("s:1:2").cacheKey)
    }
}
