import Foundation
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Equality and options of requests")
struct ImageRequestTests {
    private func request() throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: "http://h/a")))
    }

    @Test("requests that can share a result are equal, regardless of priority and options")
    func equal() throws {
        let plain = try request()
        var other = plain
        other.priority = .veryHigh
        other.userInfo[Self.row] = 7
        other.origin = .url(try #require(URL(string: "http://h/a#fragment")))
        #expect(other == plain)
        #expect(other.hashValue == plain.hashValue)
    }

    @Test("requests with another original, header, target, processor, mode or cache policy are not equal")
    func unequal() throws {
        let plain = try request()
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.origin = .data(hashing: Data("a".utf8)) }, { $0.identifier = "a" }, { $0.headers = ["A": "b"] },
            { $0.target = ImageTarget(PixelSize(width: 1, height: 1)) },
            { $0.processors = [FakeProcessor("a")] },
            { $0.color = .displayP3 }, { $0.dynamicRange = .high }, { $0.acceptsTruncated = true },
            { $0.mode = .revalidate }, { $0.cachePolicy.memory = .readOnly }, { $0.cachePolicy.disk = .disabled },
        ]
        for change in changes {
            var other = plain
            change(&other)
            #expect(other != plain)
        }
    }

    @Test("a request tells decoders what it wants, and whether memory may have the image")
    func decoding() throws {
        let target = ImageTarget.fit(width: 9)
        var request = ImageRequest(url: try #require(URL(string: "http://h/a")), target: target, headers: ["A": "b"])
        request.color = .displayP3
        request.dynamicRange = .high
        request.acceptsTruncated = true
        let decoding = DecodingRequest(target: target, color: .displayP3, dynamicRange: .high, acceptsTruncated: true)
        #expect(request.decoding == decoding && request.headers["a"] == "b")
        var modes: [ImageLoadMode] = []
        for mode in ImageLoadMode.allCases {
            request.mode = mode
            if request.readsMemory { modes.append(mode) }
        }
        #expect(modes == [.standard, .onlyIfCached, .ignoringStoredErrors])
        let policies: [ImageCachePolicy] = [.all, .memoryOnly, .diskOnly, .disabled]
        #expect(policies.map(\.memory) == [.readWrite, .readWrite, .disabled, .disabled])
        #expect(policies.map(\.disk) == [.readWrite, .disabled, .readWrite, .disabled])
        request.cachePolicy = .diskOnly
        #expect(!request.readsMemory)
    }

    @Test("the originals of two accounts differ")
    func accounts() throws {
        let request = try request()
        let keys = ["ann", "bob", nil].map { request.cacheKey(urlIdentifier: nil, account: $0) }
        let originals = keys.map(request.originalKey)
        #expect(Set(originals).count == 3 && originals.map { $0.isOriginal(of: keys[0]) } == [true, false, false])
    }

    @Test("the names of headers that differ only in case are one name, and the last value counts")
    func headers() throws {
        var headers: HeaderFields = ["authorization": "A", "Authorization": "B"]
        #expect(headers["AUTHORIZATION"] == "B" && headers.map(\.name) == ["Authorization"])
        #expect(headers == HeaderFields(["authorization": "B"]) && headers != ["Authorization": "A"])
        #expect(headers.hashValue == HeaderFields(["authorization": "B"]).hashValue)
        headers["authorization"] = nil
        #expect(headers.isEmpty)
    }

    @Test("an identifier replaces the URL, but not the headers")
    func identifier() throws {
        var (one, two) = (try request(), ImageRequest(url: try #require(URL(string: "http://h/a?token=2"))))
        #expect(one != two)
        one.identifier = "a"
        two.identifier = "a"
        #expect(one == two)
        two.headers = ["Authorization": "x"]
        #expect(one != two)
        one.headers = two.headers
        #expect(one == two)
    }

    @Test(
        "data is identified by its content or its name"
    )
    func data() {
        let (some, others) = (Data("some".utf8), Data("others".utf8))
        #expect(ImageRequest(.data(hashing: some)) == ImageRequest(.data(hashing: some)))
        #expect(ImageRequest(.data(hashing: some)) != ImageRequest(.data(hashing: others)))
        #expect(ImageRequest(.data(some, name: "n")) == ImageRequest(.data(others, name: "n")))
    }

    @Test("what an application names like another kind of image is not that image")
    func namedLikeAnother() throws {
        let named = try request().cacheKey(urlIdentifier: { _ in "data n" })
        #expect(named != ImageRequest(.data(Data(), name: "n")).cacheKey)
        #expect(named != ImageRequest(.fetch(name: "n") { Data() }).cacheKey)
    }

    @Test(
        "a server is a scheme, a host and a port, which may be left out",
        arguments: [
            ("https://a/1", "https://a:443"), ("HTTPS://A:443/2", "https://a:443"), ("http://a/", "http://a:80"),
            ("http://a:443/", "http://a:443"), ("file:///a", nil), ("data:,a", nil),
        ])
    func server(_ text: String, _ server: String?) throws {
        #expect(ImageOrigin.url(try #require(URL(string: text))).server == server)
    }

    @Test(
        "files and data URLs are local",
        arguments: [
            ("file:///a", true), ("FILE:///a", true), ("data:,a", true), ("DATA:,a", true), ("https://a/", false),
        ])
    func local(_ text: String, _ isLocal: Bool) throws {
        #expect(ImageOrigin.url(try #require(URL(string: text))).isLocal == isLocal)
    }

    @Test(
        "points are converted to pixels, rounded, and clamped to the sides that an image can have",
        arguments: [
            (100.0, 1.5, 150), (33.3, 3, 100), (0, 2, 1), (-5, 2, 1), (.nan, 2, 1), (.infinity, 1, 65_535),
            (1, .greatestFiniteMagnitude, 65_535),
        ])
    func points(side: Double, scale: Double, pixels: Int) {
        let target = ImageTarget(points: (side, 10), scale: scale)
        #expect(target.size.width == pixels)
    }

    private static let row = ImageUserInfo.Key(rawValue: "row")

    @Test("an option is found by its key and its type")
    func options() {
        var options = ImageUserInfo()
        options[Self.row] = 7
        #expect(options[Self.row, as: Int.self] == 7)
        #expect(options[Self.row, as: String.self] == nil)
        #expect(options[.init(rawValue: "column")] == nil)
        options[Self.row] = nil
        #expect(options[Self.row] == nil)
    }

    @Test("a placeholder is an image, or is made on each call")
    func placeholder() {
        let size = PixelSize(width: 1, height: 1)
        let image = DecodedImage(
            bitmap: Bitmap(size: size, pixels: [1, 2, 3, 255], isOpaque: true),
            header: ImageHeader(format: .png, storedSize: size))
        var request = ImageRequest(.data(Data(), name: "n"))
        #expect(request.placeholder == nil)
        request.placeholder = .image(image)
        #expect(request.placeholder?.makeImage() == image)
        request.placeholder = .bitmap(image.bitmap)
        #expect(request.placeholder?.makeImage().bitmap == image.bitmap)
        request.placeholder = .deferred { image }
        #expect(request.placeholder?.makeImage() == image)
        #expect(request.placeholder != .image(image) && request.placeholder != .deferred(id: 1) { image })
        request.placeholder = nil
        request.userInfo[ImageUserInfo.Key(rawValue: "placeholder")] = ImagePlaceholder.image(image)
        request.failureImage = image
        #expect(request.placeholder == nil && request.failureImage == image)
    }
}
