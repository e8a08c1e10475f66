import Foundation
import Testing

@testable import ImageCore

@Suite("URLs from text, as browsers read it (WHATWG URL Standard, 4.4)")
struct WebAddressTests {
    @Test(
        "what is encoded stays so, and what is not gets encoded",
        arguments: [
            ("http://h/a%20[1].png", "http://h/a%20%5B1%5D.png"), ("http://h/a%5B1].png", "http://h/a%5B1%5D.png"),
            ("http://h/My%20Photo-é.png", "http://h/My%20Photo-%C3%A9.png"),
            ("http://h/My Photo.png", "http://h/My%20Photo.png"), ("http://h/a%20b|c", "http://h/a%20b%7Cc"),
            ("http://h/%7B{}%7D", "http://h/%7B%7B%7D%7D"), ("http://h/%5E^%60`", "http://h/%5E%5E%60%60"),
            ("http://h/%22\"%3C<>", "http://h/%22%22%3C%3C%3E"), ("http://h/%e9%C3%a9é", "http://h/%e9%C3%a9%C3%A9"),
            ("http://h/日本%20語", "http://h/%E6%97%A5%E6%9C%AC%20%E8%AA%9E"), ("http://h/a%2Fb[", "http://h/a%2Fb%5B"),
            ("http://h/a%2520[", "http://h/a%2520%5B"), ("http://h/💥%F0", "http://h/%F0%9F%92%A5%F0"),
            ("http://h/a+b,c;d=e:f@g!$&'()*~_-.", "http://h/a+b,c;d=e:f@g!$&'()*~_-."),
            ("http://h/?q=%20é[]", "http://h/?q=%20%C3%A9%5B%5D"),
            ("http://h/?u=http://x/y?z", "http://h/?u=http://x/y?z"),
            ("http://h/?a[]=1&a[]=%5B2", "http://h/?a%5B%5D=1&a%5B%5D=%5B2"), ("http://h/?'%27", "http://h/?%27%27"),
            ("http://h/?\\|^`{}", "http://h/?%5C%7C%5E%60%7B%7D"), ("http://h/?", "http://h/?"),
            ("http://h/a#%20é[", "http://h/a#%20%C3%A9%5B"), ("http://h/a#b#c?d", "http://h/a#b%23c?d"),
            ("http://h/a%", "http://h/a%25"), ("http://h/a%2", "http://h/a%252"),
            ("http://h/%zz%20%", "http://h/%25zz%20%25"),
            ("http://h/100%é", "http://h/100%25%C3%A9"), ("http://h/%%20", "http://h/%25%20"),
            ("http://u%40x:p%3A@h/é", "http://u%40x:p%3A@h/%C3%A9"), ("http://u:p@q@h/", "http://u:p%40q@h/"),
            ("http://ü:[@h/", "http://%C3%BC:%5B@h/"), ("https://h:8443/é", "https://h:8443/%C3%A9"),
        ])
    func encoding(_ text: String, _ expected: String) {
        #expect(URL(webAddress: text)?.absoluteString == expected)
        #expect(URL(webAddress: expected)?.absoluteString == expected)
    }

    @Test(
        "surrounding spaces, line breaks and tabs, backslashes, case and dot segments are read as in browsers",
        arguments: [
            ("  http://h/a\n", "http://h/a"), ("\u{0}http://h/a\u{1F}", "http://h/a"),
            ("http://h/a\tb\r\nc", "http://h/abc"),
            ("ht\ntp://h/", "http://h/"), ("http:\\\\h\\a\\b", "http://h/a/b"),
            ("HTTPS://H.Test/A", "https://h.test/A"),
            ("http:h/a", "http://h/a"), ("http:/h/a", "http://h/a"), ("http:////h/a", "http://h/a"),
            ("http://h", "http://h/"),
            ("http://h?a", "http://h/?a"), ("http://h#a", "http://h/#a"), ("http://h/a/../b/./c", "http://h/b/c"),
            ("http://h/../..", "http://h/"), ("http://h/a/%2e%2E/b/%2e/", "http://h/b/"),
            ("http://h/a/..", "http://h/"),
            ("http://h/a/.", "http://h/a/"), ("http://h/a//b", "http://h/a//b"), ("http://h/...", "http://h/..."),
            ("http://h/?/../a", "http://h/?/../a"), ("http://[::1]:80/[", "http://[::1]:80/%5B"),
            ("http://ex%61mple.test/", "http://example.test/"),
        ])
    func reading(_ text: String, _ expected: String) {
        #expect(URL(webAddress: text)?.absoluteString == expected)
    }

    @Test(
        "hosts that aren't ASCII become IDNA names, and URLs of other schemes are encoded where they must be",
        arguments: [
            ("http://bücher.test:81/ü", "http://xn--bcher-kva.test:81/%C3%BC"),
            ("http://日本.jp/", "http://xn--wgv71a.jp/"),
            ("http://BÜCHER.test/", "http://xn--bcher-kva.test/"),
            ("http://b%C3%BCcher.test/", "http://xn--bcher-kva.test/"),
            ("data:image/svg+xml,<svg a='1'>é%20</svg>#x", "data:image/svg+xml,%3Csvg%20a='1'%3E%C3%A9%20%3C/svg%3E#x"),
            ("data:,a%20[b]", "data:,a%20%5Bb%5D"), ("file:///a%20[1] b.png", "file:///a%20%5B1%5D%20b.png"),
            ("app://[::1]/a", "app://[::1]/a"), ("DATA:,a", "DATA:,a"),
        ])
    func hostsAndSchemes(_ text: String, _ expected: String) {
        #expect(URL(webAddress: text)?.absoluteString == expected)
    }

    @Test(
        "text without a scheme or with an invalid host or port is no URL",
        arguments: [
            "", " ", "a.png", "/a.png", "//h/a", "?a", "#a", "http:", "http://", "https:///", "http://?a", "http://u@/",
            "http://h h/", "http://h%20h/", "http://h%2Fx/", "http://h%zz/", "http://h:8a/", "http://h:-1/",
            "http://[::1/a",
            "http://a<b/", "http://a|b/", "http://a\u{7F}b/", "http://a%7Fb/", "http://:80/", "1http://h/",
            "http://%E9/",
        ])
    func invalid(_ text: String) { #expect(URL(webAddress: text) == nil) }

    @Test(
        "references are resolved against the base",
        arguments: [
            ("c%20[d].png", "http://h/a/c%20%5Bd%5D.png"), ("/é%20", "http://h/%C3%A9%20"), ("../x", "http://h/x"),
            ("./", "http://h/a/"), (".", "http://h/a/"), ("..", "http://h/"), ("../../x", "http://h/x"),
            ("", "http://h/a/b?q"),
            ("?é%20", "http://h/a/b?%C3%A9%20"), ("#z", "http://h/a/b?q#z"), ("x?y#z", "http://h/a/x?y#z"),
            ("//i/x", "http://i/x"), ("///i/x", "http://i/x"), ("\\x", "http://h/x"), ("\\\\i\\x", "http://i/x"),
            ("/\\i/x", "http://i/x"), ("https://i/x", "https://i/x"), ("https:i", "https://i/"),
            ("http:c", "http://h/a/c"),
            ("http:/c", "http://h/c"), ("http://i", "http://i/"), ("c:d", "c:d"), ("1:2", "http://h/a/1:2"),
            ("file:///etc/passwd", "file:///etc/passwd"), (" c ", "http://h/a/c"), ("%2e%2e/c", "http://h/c"),
        ])
    func references(_ text: String, _ expected: String) {
        #expect(URL(webAddress: text, relativeTo: URL(string: "http://h/a/b?q#f"))?.absoluteString == expected)
    }

    @Test("bytes that aren't UTF-8 are encoded as they are")
    func latin1() {
        let base = URL(string: "http://h/a")
        #expect(
            URL(webAddress: Array("/caf".utf8) + [0xE9, 0x5B], relativeTo: base)?.absoluteString == "http://h/caf%E9%5B"
        )
        #expect(
            URL(webAddress: Array("?".utf8) + [0xFF, 0x80], relativeTo: base)?.absoluteString == "http://h/a?%FF%80")
        #expect(URL(webAddress: Array("http://".utf8) + [0xE9] + Array("/".utf8)) == nil)
    }
}
