import Foundation
import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct OriginRulesTests {
    private func refusal(_ text: String, _ rules: OriginRules = OriginRules()) throws -> OriginRefusal? {
        let url = try #require(URL(string: text))
        do throws(OriginRefusal) {
            try rules.check(url)
            return nil
        } catch {
            return error
        }
    }

    private func rules(_ entries: [String]) throws -> OriginRules {
        OriginRules(allowedOrigins: try entries.map { try AllowedOrigin($0) })
    }

    @Test("allows only the sources below the path of an entry, however the path is written")
    func pathPrefixes() throws {
        let rules = try rules(["http://h.org/images/", "*.cdn.org/a%20b", "https://p.org:8443/x/y/"])
        for text in [
            "http://h.org/images/a.jpg", "http://h.org/images/b/c.jpg", "http://h.org/%69mages/a.jpg",
            "http://h.org/other/../images/a.jpg", "http://h.org/images/a%2Fb.jpg",
            "http://h.org/images/a..b.jpg?q=../..",
            "http://1.cdn.org/a%20b/c.jpg", "http://1.cdn.org/a%20b", "https://p.org:8443/x/y/z",
            "http://h.org/images/100%25.jpg", "http://h.org/images/%FF.jpg",
        ] {
            let url = try #require(URL(webAddress: text))
            #expect(throws: Never.self, "\(text)") { try rules.check(url) }
        }
        for text in [
            "http://h.org/images/%FF%2F..%2Fsecret", "http://h.org/a.jpg", "http://h.org/", "http://h.org",
            "http://h.org/imagesx/a.jpg", "http://h.org/Images/a.jpg",
            "http://h.org/images/../secret", "http://h.org/images/%2e%2e/secret", "http://h.org/images/..%2Fsecret",
            "http://h.org/images/%2e%2e%2fsecret", "http://h.org/images/%252e%252e%252fsecret",
            "http://h.org/images/..\\secret", "http://h.org/images/..%5Csecret", "http://h.org/images/..;/secret",
            "http://h.org/images/%25252e%25252e/secret", "https://h.org:444/images/a", "http://1.cdn.org/a%20bc",
            "http://cdn.org/a%20b/c", "https://p.org/x/y/z", "http://h.org/images%2F..%2Fsecret",
        ] {
            let url = try #require(URL(webAddress: text))
            #expect(throws: OriginRefusal.self, "\(text)") { try rules.check(url) }
        }
    }

    @Test("allows buckets if there are credentials for them, in the folders of the list")
    func buckets() throws {
        #expect(try refusal("s3://b/a.jpg") == .scheme("s3"))
        var all = OriginRules()
        all.bucketSchemes = [.amazon]
        #expect(try refusal("s3://b/a.jpg", all) == nil)
        for text in [
            "s3:///a.jpg", "s3://u@b/a.jpg", "s3://b:80/a.jpg", "s3://b/../a.jpg", "s3://b/%2e%2e/a", "s3://../b/a.jpg",
        ] { #expect(try refusal(text, all) != nil, "\(text)") }
        for text in ["s3://b", "s3://b/", "s3://b//", "s3://b/%2F", "s3://b/?a.jpg", "s3://b#a.jpg"] {
            #expect(try refusal(text, all) == .bucketWithoutKey, "\(text)")
        }
        var some = try rules(["s3://b/x/", "example.com"])
        some.bucketSchemes = [.amazon]
        #expect(try refusal("s3://b/x/a.jpg", some) == nil)
        #expect(try refusal("s3://b/x/%FF", some) == nil, "the transport asks for these bytes")
        for text in ["s3://b/a.jpg", "s3://c/x/a.jpg", "s3://b/x/..%2Fa.jpg", "s3://b/%FF", "s3://b/%FFx/a.jpg"] {
            #expect(try refusal(text, some) != nil, "\(text)")
        }
    }

    @Test(
        "refuses entries that allow all or nothing, or that it doesn't understand",
        arguments: [
            "*", "*.", "*example.com", "http://*example.com", "ftp://h", "h:0", "h:x", "h:99999", "h:",
            "http://h?q", "http://h/a?q", "http://h/a/../b", "http://h/%2e%2e/b", "http://u@h", "a b",
            "[::1",
            "https:/h", "http:h", "://h", ".example.com", "h/#a", "[x]", "büch.er",
        ])
    func badEntries(entry: String) {
        #expect(throws: AllowedOrigin.InvalidEntry.self, "\(entry)") { try AllowedOrigin(entry) }
    }

    @Test(
        "allows ordinary sources",
        arguments: [
            "http://example.com/a.jpg", "https://example.com:443/a.jpg", "https://xn--bcher-kva.example/a",
            "http://1.2.3.4/",
            "http://[2606:4700::1111]/", "HTTP://EXAMPLE.com/", "http://a_b.example.com/",
        ])
    func allowed(text: String) throws { #expect(try refusal(text) == nil) }

    @Test(
        "refuses other schemes",
        arguments: [
            "ftp://example.com/a", "file:///etc/passwd", "data:image/png;base64,AA", "gopher://example.com/",
            "local:///a",
            "javascript:alert(1)", "jar:http://example.com/a",
        ])
    func schemes(text: String) throws {
        guard case .scheme = try refusal(text) else {
            Issue.record("\(text) was not refused by its scheme")
            return
        }
    }

    @Test(
        "refuses credentials",
        arguments: [
            "http://user@example.com/", "http://user:secret@example.com/", "http://@example.com/",
            "http://example.com:80@10.0.0.1/", "http://:@example.com/",
        ])
    func credentials(text: String) throws { #expect(try refusal(text) == .credentials) }

    @Test(
        "refuses unusual ports",
        arguments: [
            ("http://example.com:22/", 22), ("http://example.com:6379/", 6_379), ("https://example.com:8443/", 8_443),
            ("http://example.com:0/", 0),
        ])
    func ports(text: String, port: Int) throws { #expect(try refusal(text) == .port(port)) }

    @Test(
        "refuses hosts with other characters than those of names",
        arguments: [
            "http://%31%32%37.0.0.1/", "http:///a.jpg", "http://exa%00mple.com/", "http://a*b.example/",
        ])
    func hosts(text: String) throws { #expect(try refusal(text) != nil) }

    @Test("refuses what is not in the list of origins")
    func allowList() throws {
        let rules = try rules([
            "example.com", "*.images.org", "https://secure.net", "local.test:8080", "http://[::1]:9000",
        ])
        for text in [
            "http://example.com/", "https://example.com/a", "http://a.images.org/", "http://a.b.images.org/",
            "https://secure.net/", "http://local.test:8080/", "http://EXAMPLE.COM/", "http://[::1]:9000/",
        ] { #expect(try refusal(text, rules) == nil, "\(text)") }
        for text in [
            "http://example.com.evil.org/", "http://evilexample.com/", "http://images.org/", "http://evilimages.org/",
            "http://secure.net/", "http://local.test/", "http://local.test:8081/", "http://example.com:8080/",
            "http://example.org/", "http://[::1]/",
        ] { #expect(try refusal(text, rules) != nil, "\(text)") }
    }

    @Test("a URL above the limit is refused before it is decoded, and a redirect to it, too")
    func longURLs() async throws {
        let nested = "/x/%" + String(repeating: "25", count: 4_080)
        let rules = try rules(["http://h.org/x/"])
        #expect(try refusal("http://h.org" + nested, rules) == .origin("http://h.org:80"))
        // One byte more than the limit, of a scheme that isn't allowed either.
        #expect(try refusal("ftp://" + String(repeating: "a", count: 8_187), rules) == .tooLong)
    }

    @Test("folders whose names look alike are different folders")
    func equivalentNames() throws {
        let rules = OriginRules(fileRoots: [URL(filePath: "/\u{E9}")])
        #expect(try refusal("file:///%C3%A9/a.jpg", rules) == nil)
        #expect(try refusal("file:///e%CC%81/a.jpg", rules) == .file)
    }

    @Test("allows files only in folders for them, whether or not they exist")
    func files() throws {
        #expect(try refusal("file:///images/a.jpg") == .scheme("file"))
        for root in ["/images", "/images/", "/other/../images/./"] {
            let rules = OriginRules(fileRoots: [URL(filePath: "/srv"), URL(filePath: root)])
            for path in ["/images/a.jpg", "/images/b/../a.jpg", "/images/%61.jpg", "/srv/b/c.png", "/srv/%FF"] {
                #expect(try refusal("file://\(path)", rules) == nil, "\(path)")
            }
            for path in [
                "/etc/passwd", "/etc/none", "/images", "/imagesb/a.jpg", "/images/../etc/passwd",
                "/images/%2e%2e/etc/passwd", "/images/b%2F..%2F..%2F/etc/passwd", "/", "", "/images/a%00.jpg", "/%FF",
            ] { #expect(try refusal("file://\(path)", rules) == .file, "\(path)") }
        }
    }
}
