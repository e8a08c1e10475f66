import Foundation
import HTTPTypes
import ImageTesting
import ImageTransporting
import Testing

@Suite("Redirect chain")
struct RedirectChainTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func redirect(_ status: Int, to location: String?) throws -> ResponseHead {
        ResponseHead(
            status: .init(code: status), headers: location.map { [.location: $0] } ?? [:],
            url: try url("http://unused/"))
    }

    private func expectFollowing(
        _ head: ResponseHead, isFollowed: Bool = true, by chain: inout RedirectChain
    ) throws {
        let result = try chain.follow(head)
        #expect(result == isFollowed)
    }

    private func target(_ start: String, _ location: String) throws -> String? {
        var chain = RedirectChain(TransportRequest(url: try url(start)))
        return try chain.follow(redirect(302, to: location)) ? chain.request.url.absoluteString : nil
    }

    @Test(
        "a Location is resolved against the URL of its request",
        arguments: [
            ("/x", "http://a/x"), ("y?q", "http://a/b/y?q"), ("../z", "http://a/z"), ("//c/d", "http://c/d"),
            ("https://a/s", "https://a/s"), ("#f", nil), ("/x#g", "http://a/x#g"), ("http:///x", "http://x/"),
            ("/My%20Photo-é.png", "http://a/My%20Photo-%C3%A9.png"), ("/a%20[1].png", "http://a/a%20%5B1%5D.png"),
            ("c d?e%20|f", "http://a/b/c%20d?e%20%7Cf"), ("/%zz", "http://a/%25zz"), ("\\\\c\\d", "http://c/d"),
            ("/x%2Fy%e9", "http://a/x%2Fy%e9"), ("http://é.test/ü%20", "http://xn--9ca.test/%C3%BC%20"),
        ] as [(String, String?)])
    func resolution(_ location: String, _ expected: String?) throws {
        if let expected {
            #expect(try target("http://a/b/c", location) == expected)
        } else {
            #expect(throws: TransportError.redirectLoop("http://a/b/c#f")) { try target("http://a/b/c", location) }
        }
    }

    @Test("a redirect is followed without the identifier of its request, whatever the length of its own body")
    func unusedParts() throws {
        var request = TransportRequest(url: try url("http://a/b"), bodyByteLimit: 10)
        request.identifier = "photo"
        var head = try redirect(302, to: "/c")
        head.expectedByteCount = 11
        try request.checkLength(head)
        var chain = RedirectChain(request)
        try expectFollowing(head, by: &chain)
        #expect(chain.request.identifier == nil)
        head.headers = [:]
        #expect(throws: TransportError.tooLarge(byteLimit: 10)) { try request.checkLength(head) }
    }

    @Test("bytes of a Location that aren't UTF-8 are percent-encoded as they are")
    func bytes() throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/b")))
        var head = try redirect(302, to: nil)
        head.headers.append(HTTPField(name: .location, value: Array("/caf".utf8) + [0xE9] + Array("%20.png".utf8)))
        try expectFollowing(head, by: &chain)
        #expect(chain.request.url.absoluteString == "http://a/caf%E9%20.png")
    }

    @Test("of several Locations, the first one is followed")
    func several() throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/b")))
        var head = try redirect(302, to: "/1")
        head.headers.append(HTTPField(name: .location, value: "/2"))
        try expectFollowing(head, by: &chain)
        #expect(chain.request.url.absoluteString == "http://a/1")
    }

    @Test("a Location that is no URL throws malformedResponse", arguments: ["http://", "http://h:x/", "http://a b/"])
    func malformed(_ location: String) throws {
        let failure = #expect(throws: TransportError.self) { try target("http://a/b", location) }
        #expect(failure?.kind == "malformedResponse")
    }

    @Test(
        "a status without a Location or that is not a redirect is final", arguments: [200, 300, 304, 305, 404])
    func final(_ status: Int) throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/")))
        try expectFollowing(redirect(status, to: "/x"), isFollowed: false, by: &chain)
        try expectFollowing(redirect(302, to: nil), isFollowed: false, by: &chain)
    }

    @Test(
        "303 changes the method to GET, 301 and 302 change POST to GET, 307 and 308 keep the method",
        arguments: [
            (301, HTTPRequest.Method.post, HTTPRequest.Method.get), (302, .post, .get), (303, .post, .get),
            (303, .head, .head),
            (307, .post, .post), (308, .post, .post), (301, .head, .head), (303, .put, .get), (302, .put, .put),
        ])
    func methods(_ status: Int, _ before: HTTPRequest.Method, _ after: HTTPRequest.Method) throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/"), method: before))
        try expectFollowing(redirect(status, to: "/x"), by: &chain)
        #expect(chain.request.method == after)
    }

    @Test(
        "the body and its header fields are removed if the method changes to GET, and kept otherwise",
        arguments: [(301, false), (302, false), (303, false), (307, true), (308, true)])
    func bodies(_ status: Int, _ isKept: Bool) throws {
        let headers: HTTPFields = [.contentType: "text/plain", .contentLanguage: "de", .accept: "*/*"]
        var chain = RedirectChain(
            TransportRequest(url: try url("http://a/"), method: .post, headers: headers, body: Data([1])))
        try expectFollowing(redirect(status, to: "/x"), by: &chain)
        #expect(chain.request.body == (isKept ? Data([1]) : nil))
        #expect(chain.request.headers == (isKept ? headers : [.accept: "*/*"]))
    }

    @Test(
        "credentials are removed if the scheme, host or port changes, and are not restored",
        arguments: [
            ("http://a/", "http://a/x", true), ("http://a/", "http://A:80/x", true),
            ("https://a/", "https://a:443/x", true),
            ("http://a/", "https://a/x", false), ("http://a/", "http://a:81/x", false),
            ("http://a/", "http://b.a/x", false),
        ])
    func credentials(_ start: String, _ location: String, _ areKept: Bool) throws {
        let headers: HTTPFields = [.authorization: "x", .cookie: "y", .proxyAuthorization: "z", .accept: "*/*"]
        var chain = RedirectChain(TransportRequest(url: try url(start), headers: headers))
        try expectFollowing(redirect(302, to: location), by: &chain)
        #expect((chain.request.headers[.authorization] != nil) == areKept)
        #expect((chain.request.headers[.cookie] != nil) == areKept)
        #expect((chain.request.headers[.proxyAuthorization] != nil) == areKept)
        #expect(chain.request.headers[.accept] == "*/*")
    }

    @Test(
        "redirects to other schemes and from https to http are blocked",
        arguments: [
            ("http://a/", "file:///etc/passwd"), ("http://a/", "data:,x"), ("http://a/", "ftp://a/"),
            ("https://a/", "http://a/"),
            ("http://a/", "javascript:1"), ("http://a/", "FILE:///x"), ("http://a/", "blob:http://a/x"),
        ])
    func blocked(_ start: String, _ location: String) throws {
        let failure = #expect(throws: TransportError.self) { try target(start, location) }
        #expect(failure?.kind == "blockedRedirect")
    }

    @Test("a request for another scheme, or without a host, is not sent", arguments: ["ftp://a/", "http:///a"])
    func scheme(_ text: String) async throws {
        let request = TransportRequest(url: try url(text))
        await #expect(throws: TransportError.invalidURL(text)) {
            try await RedirectChain.response(to: request) { _ in throw TransportError.other("sent") }
        }
    }

    @Test(
        "another server gets the headers that are meant for it, also after further redirects, and no credentials")
    func headersForOthers() throws {
        var request = TransportRequest(url: try url("http://a/"), headers: [.authorization: "x", .userAgent: "a"])
        request.headersForOtherServers = [.authorization: "y", .userAgent: "b"]
        var chain = RedirectChain(request)
        for location in ["http://b/", "http://c/"] {
            try expectFollowing(redirect(302, to: location), by: &chain)
            #expect(chain.request.headers == [.userAgent: "b"])
        }
    }

    @Test("a request that does not follow redirects gets the redirect, and exchanges never follow redirects")
    func handedBack() async throws {
        let found = try redirect(302, to: "/x")
        for follows in [true, false] {
            var request = TransportRequest(url: try url("http://a/"))
            request.followsRedirects = follows
            let response = try await RedirectChain.response(to: request) { hop throws(TransportError) in
                #expect(!hop.followsRedirects)
                let head = hop.url.path == "/x" ? ResponseHead(status: .ok, url: hop.url) : found
                return TransportResponse(
                    head: head, body: TransportBody(pull: { () async throws(TransportError) in nil }))
            }
            #expect(response.head.status == (follows ? .ok : .found))
            #expect(response.redirects == (follows ? [found] : []))
        }
    }

    @Test("the body of a followed redirect is discarded before it is released")
    func discarded() async throws {
        let messages = MessageLog<String>()
        let found = try redirect(302, to: "/x")
        _ = try await RedirectChain.response(to: TransportRequest(url: try url("http://a/"))) {
            hop throws(TransportError) in
            let name = hop.url.path
            let body = TransportBody(
                pull: { () async throws(TransportError) in nil }, discard: { messages.append("discard \(name)") },
                abandon: { messages.append("abandon \(name)") })
            return TransportResponse(head: name == "/x" ? ResponseHead(status: .ok, url: hop.url) : found, body: body)
        }
        #expect(messages.messages == ["discard /", "abandon /", "abandon /x"])
    }

    @Test("the limit counts redirects, and 0 allows none")
    func limit() throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/0"), maxRedirects: 2))
        try expectFollowing(redirect(302, to: "/1"), by: &chain)
        try expectFollowing(redirect(302, to: "/2"), by: &chain)
        #expect(throws: TransportError.tooManyRedirects(2)) { try chain.follow(redirect(302, to: "/3")) }
        var none = RedirectChain(TransportRequest(url: try url("http://a/"), maxRedirects: 0))
        #expect(throws: TransportError.tooManyRedirects(0)) { try none.follow(redirect(302, to: "/1")) }
    }

    @Test("a redirect to a visited address is a loop")
    func loop() throws {
        var chain = RedirectChain(TransportRequest(url: try url("http://a/0")))
        try expectFollowing(redirect(302, to: "/1"), by: &chain)
        #expect(throws: TransportError.redirectLoop("http://a/0")) { try chain.follow(redirect(302, to: "/0")) }
        // The same address with another method is no loop: a form that leads to itself.
        var form = RedirectChain(TransportRequest(url: try url("http://a/0"), method: .post))
        try expectFollowing(redirect(303, to: "/0"), by: &form)
        #expect(throws: TransportError.redirectLoop("http://a/0")) { try form.follow(redirect(302, to: "/0")) }
    }
}
