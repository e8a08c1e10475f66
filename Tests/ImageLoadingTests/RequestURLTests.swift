import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite("URLs of requests")
struct RequestURLTests {
    @Test(
        "supported URLs are accepted",
        arguments: [
            "https://example.org", "HTTP://example.org/a.jpg", "https://example.org:8443/a",
            "https://user@example.org/a",
            "https://example.org?a", "https://[::1]/a", "http://192.0.2.1/a", "file:///tmp/a.png", "data:,a", "cid:a",
            "httpx://a",
        ])
    func accepted(_ text: String) throws {
        let request = ImageRequest(url: try #require(URL(string: text)))
        try request.url?.checkIsLoadable()
    }

    @Test(
        "URLs without a scheme or a required host are rejected",
        arguments: [
            "https://", "https:///a.jpg", "http:a", "https:/a", "/a.jpg", "example.org/a", "https://user@/a",
            "https://:80/a",
        ])
    func refused(_ text: String) throws {
        let request = ImageRequest(url: try #require(URL(string: text)))
        #expect(throws: ImageError.self) { try request.url?.checkIsLoadable() }
    }

    @Test(
        "file and data URLs are local regardless of case, and similar schemes are not",
        arguments: [
            ("file:///tmp/a", true), ("FILE:///tmp/a", true), ("data:,a", true), ("Data:,a", true),
            ("files:///a", false), ("https://file:1@example.org/", false), ("dat:a", false), ("a", false),
        ])
    func local(_ text: String, _ isLocal: Bool) throws {
        #expect(ImageOrigin.url(try #require(URL(string: text))).isLocal == isLocal)
    }
}
