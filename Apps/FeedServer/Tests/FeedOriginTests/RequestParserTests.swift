import Testing

@testable import FeedOrigin

@Suite("Request parser")
struct RequestParserTests {
    private func parse(_ text: String) throws(RequestFailure) -> HTTPRequest? {
        var parser = RequestParser()
        parser.append(Array(text.utf8))
        return try parser.next()
    }

    @Test("a request has a decoded path, a decoded query and lowercase header names")
    func wellFormed() throws {
        let request = try #require(
            try parse("GET /a%20b?x=1&y=%2F&flag HTTP/1.1\r\nHost: h:1\r\nX-Some:  spaced \t\r\n\r\n"))
        #expect(request.method == "GET")
        #expect(request.path == "/a b")
        #expect(request.query == [.init("x", "1"), .init("y", "/"), .init("flag", "")])
        #expect(request.header("x-some") == "spaced")
        #expect(request.keepsAlive)
    }

    @Test(
        "the version and the Connection header determine whether the connection stays open",
        arguments: [
            ("HTTP/1.1\r\nHost: h\r\n\r\n", true), ("HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n", false),
            ("HTTP/1.0\r\n\r\n", false), ("HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
        ])
    func keepAlive(rest: String, expected: Bool) throws {
        #expect(try parse("GET / " + rest)?.keepsAlive == expected)
    }

    @Test(
        "targets can be absolute URLs, and lines can end with only LF",
        arguments: [
            ("GET http://h:1/p?q=1 HTTP/1.1\r\nHost: h\r\n\r\n", "/p?q=1"),
            ("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", "/"),
            ("\r\n\r\nGET /z HTTP/1.1\nHost: h\n\n", "/z"),
        ])
    func tolerated(text: String, target: String) throws {
        #expect(try parse(text)?.target == target)
    }

    @Test(
        "an invalid request is rejected with the matching status",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505), ("G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\n folded: b\r\n\r\n", 400), ("GET x HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\"evil\r\n\r\n", 400), ("GET /\u{1} HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            ("\u{16}\u{3}\u{1} x\r\n\r\n", 400),
        ])
    func refused(text: String, status: Int) {
        do throws(RequestFailure) {
            _ = try parse(text)
            Issue.record("accepted: \(text)")
        } catch { #expect(error.status == status) }
    }

    @Test("a head that exceeds the limit is rejected, complete or not")
    func limit() {
        let long = "GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "a", count: RequestParser.limit)
        for text in [long, long + "\r\n\r\n"] {
            #expect(throws: RequestFailure.headTooLarge) { try parse(text) }
        }
    }

    @Test("requests are the same for any chunk size, and bodies are skipped")
    func cutting() throws {
        let text =
            "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nGET /0\r\n\r"
            + "GET /3 HTTP/1.1\r\nHost: h\r\n\r\n"
        for size in 1...text.utf8.count {
            var parser = RequestParser()
            var targets: [String] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                parser.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let request = try parser.next() { targets.append(request.target) }
            }
            #expect(targets == ["/1", "/2", "/3"], "chunks of \(size)")
            #expect(!parser.isWithinRequest)
        }
    }

    @Test("any bytes are either accepted or rejected")
    func anyBytes() {
        var numbers = SeededGenerator(seed: 5)
        let pieces = [
            "GET ", "/", " HTTP/1.1", "\r\n", "\r\n\r\n", "Host: h", "%", ":", "\u{0}", "Content-Length: 7", " ",
        ]
        for _ in 0..<3000 {
            var parser = RequestParser()
            for _ in 0..<numbers.index(below: 12) {
                let isNoise = numbers.chance(0.15)
                let noise = [UInt8(truncatingIfNeeded: numbers.next())]
                parser.append(isNoise ? noise : Array(pieces[numbers.index(below: pieces.count)].utf8))
                do throws(RequestFailure) { while try parser.next() != nil {} } catch {
                    #expect((400...599).contains(error.status))
                    break
                }
            }
        }
    }
}
