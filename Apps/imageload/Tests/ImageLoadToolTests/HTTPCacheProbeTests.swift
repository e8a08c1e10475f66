import Foundation
import LoopbackServer
import Testing

/// Runs the command as a process against a server with scripted responses.
@Suite("imageload http-cache-probe", .timeLimit(.minutes(3)))
struct HTTPCacheProbeTests {
    private struct Reply: Decodable {
        var id: String
        var status: Int?
        var headers: [[String]]?
        var bodyBase64: String?
        var fromCache: String?
        var error: String?

        var text: String? { bodyBase64.flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) } }

        func values(_ name: String) -> [String] {
            (headers ?? []).filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
        }
    }

    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    /// Sends lines to one process and returns its replies by id. Expects one reply per line and exit code 0.
    private func send(_ lines: [String]) async throws -> [String: Reply] {
        let cache = tool.folder.appending(path: "cache").path
        let run = try await tool.run(
            ["http-cache-probe", "--cache", cache], input: lines.map { $0 + "\n" }.joined())
        #expect(run.status == 0 && run.errors.isEmpty)
        let replies = try run.output.split(separator: "\n").map {
            try JSONDecoder().decode(Reply.self, from: Data($0.utf8))
        }
        #expect(replies.count == lines.count)
        return Dictionary(replies.map { ($0.id, $0) }) { $1 }
    }

    private func line(_ id: String, _ url: URL, _ more: String = "") -> String {
        #"{"id":"\#(id)","url":"\#(url.absoluteString)"\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private static let text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Kept: 1\r\nX-Kept: 2\r\n"

    @Test("requests run concurrently, repeated headers are kept, and the next process finds stored responses")
    func overlapping() async throws {
        let gate = LoopbackSignal()
        let server = try LoopbackServer { request in
            if request.path == "/opens" {
                gate.open()
                return .ok("one".utf8)
            }
            return .steps([.wait(gate), .text(Self.text + "Cache-Control: max-age=60\r\n\r\none")])
        }
        let first = try await send([line("a", server.url("/waits")), line("b", server.url("/opens"))])
        #expect([first["a"]?.error, first["b"]?.error] == [nil, nil])
        #expect(first["a"]?.text == "one" && first["a"]?.fromCache == "network" && first["b"]?.status == 200)
        #expect(first["a"]?.values("x-kept") == ["1", "2"])
        let second = try await send([line("c", server.url("/waits"))])["c"]
        #expect(second?.fromCache == "disk" && second?.text == "one" && second?.values("x-kept") == ["1", "2"])
        #expect(second?.values("age").count == 1)
        #expect(server.requestCount == 2)
    }

    @Test("sends method, headers and body unchanged, and no cookies")
    func untouched() async throws {
        let server = try LoopbackServer { _ in .ok("done".utf8, headers: ["Set-Cookie": "a=b"]) }
        let more = #""method":"POST","headers":[["Foo","1"],["Foo","2"]],"body":"text""#
        _ = try await send([line("1", server.url("/a"), more)])
        _ = try await send([line("2", server.url("/a"))])
        let requests = server.log
        #expect(requests.map(\.method) == ["POST", "GET"] && requests.allSatisfy { $0.headers["cookie"] == nil })
        #expect(requests[0].headers["foo"] == "1, 2" && requests[0].body == Array("text".utf8))
        #expect(requests[0].headers["cache-control"] == nil && requests[0].headers["content-type"] == nil)
    }

    @Test("bodies keep their content coding, even an unknown one")
    func coding() async throws {
        let server = try LoopbackServer { _ in .ok("abc".utf8, headers: ["Content-Encoding": "rot13"]) }
        let reply = try await send([line("1", server.url("/a"))])["1"]
        #expect(reply?.text == "abc" && reply?.values("content-encoding") == ["rot13"])
        #expect(server.log.allSatisfy { $0.headers["accept-encoding"] == nil })
    }

    @Test("a response in an unknown transfer coding is stored without the coding's field")
    func transferCoding() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\nCache-Control: max-age=60\r\n\r\n"
        let server = try LoopbackServer { _ in .steps([.text(head + "abc"), .close]) }
        for source in ["network", "disk"] {
            let reply = try await send([line("1", server.url("/a"))])["1"]
            #expect(reply?.text == "abc" && reply?.fromCache == source)
            if source == "disk" { #expect(reply?.values("transfer-encoding") == []) }
        }
    }

    @Test("a redirect is followed or returned")
    func redirects() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .redirect(to: "/b") : .ok("there".utf8) }
        let replies = try await send([
            line("follow", server.url("/a")), line("manual", server.url("/a"), #""redirect":"manual""#),
        ])
        #expect(replies["follow"]?.text == "there")
        #expect(replies["manual"]?.status == 302 && replies["manual"]?.values("location") == ["/b"])
    }

    @Test(
        "cache modes of the Fetch standard with a stale response that has a validator",
        arguments: [
            ("default", "validated", "\"1\"", nil), ("no-cache", "validated", "\"1\"", "max-age=0"),
            ("no-store", "network", nil, "no-cache"), ("reload", "network", nil, "no-cache"),
            ("force-cache", "stale", nil, nil), ("only-if-cached", "stale", nil, nil),
        ])
    func modes(_ mode: String, source: String, tag: String?, directive: String?) async throws {
        let server = try LoopbackServer { request in
            request.headers["if-none-match"] == nil
                ? .ok("one".utf8, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"]) : .response(status: 304)
        }
        _ = try await send([line("1", server.url("/a"))])
        let reply = try await send([line("2", server.url("/a"), #""cache":"\#(mode)""#)])["2"]
        #expect(reply?.fromCache == source && reply?.text == "one")
        let request = server.log.dropFirst().first
        #expect((request == nil) == (source == "stale"))
        #expect(request?.headers["if-none-match"] == tag && request?.headers["cache-control"] == directive)
        #expect(request?.headers["pragma"] == (directive == "no-cache" ? directive : nil))
    }

    @Test("fields of a request are in place of those of its cache mode", arguments: ["no-cache", "no-store", "reload"])
    func ownFields(mode: String) async throws {
        let server = try LoopbackServer { _ in .ok("one".utf8) }
        let fields = #""cache":"\#(mode)","headers":[["Cache-Control","max-age=9"],["Pragma","x"]]"#
        _ = try await send([line("1", server.url("/a"), fields)])
        #expect(server.log.map { [$0.headers["cache-control"], $0.headers["pragma"]] } == [["max-age=9", "x"]])
    }

    @Test("an invalid request returns one line with its id and doesn't affect others")
    func failures() async throws {
        let server = try LoopbackServer { _ in .ok("one".utf8) }
        let replies = try await send([
            "no JSON", line("scheme", try #require(URL(string: "ftp://h/"))), #"{"id":"lacks"}"#,
            line("cold", server.url("/a"), #""cache":"only-if-cached""#), line("well", server.url("/b")),
        ])
        for id in ["", "scheme", "lacks", "cold"] {
            #expect(replies[id]?.error?.isEmpty == false && replies[id]?.status == nil, "\(id)")
        }
        #expect(replies["well"]?.text == "one")
        #expect(server.log.map(\.path) == ["/b"])
    }

    @Test("responses without freshness information are not reused, including a 404")
    func noDefaultLifetime() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .ok("one".utf8) : .notFound }
        for _ in 0..<2 { _ = try await send([line("1", server.url("/a")), line("2", server.url("/b"))]) }
        #expect(server.requestCount == 4)
    }

    @Test("a background validation finishes before the process ends")
    func background() async throws {
        let headers = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
        let server = try LoopbackServer { _ in .ok("one".utf8, headers: headers) }
        _ = try await send([line("1", server.url("/a"))])
        #expect(try await send([line("2", server.url("/a"))])["2"]?.fromCache == "stale")
        #expect(server.requestCount == 2)
    }
}
