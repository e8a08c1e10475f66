import Foundation
import HTTPTypes
import LoopbackServer
import Testing

@Suite("Requests that the server must refuse", .timeLimit(.minutes(10)))
struct SafetyTests {
    @Test(
        "no connection is made to a private address, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.1",
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "0.0.0.0", "0", "LOCALHOST", "localhost.",
        ])
    func privateAddresses(host: String) async throws {
        let origin = try LoopbackServer { _ in .ok([1]) }
        try await withServer(["--allowed-ports", "\(origin.port)"]) { server async throws in
            let status = try await server.status(imagePath("w:1", "http://\(host):\(origin.port)/a.jpg"))
            #expect(status == 502, "\(host): the same as for a host that doesn't exist")
        }
        #expect(origin.connectionCount == 0)
    }

    @Test("no response names a folder or an inner server, or tells whether an inner host exists")
    func innerNames() async throws {
        let settings = [
            "--file-roots", "/tmp", "--bucket-access-key", "a", "--bucket-secret-key", "b", "--bucket-endpoint",
            "http://127.0.0.1:1", "--breaker-failures", "0",
        ]
        try await withServer(settings) { server async throws in
            var answers: Set<String> = []
            for source in ["http://127.0.0.1/", "http://none.invalid/", "s3://b/a"] {
                let answer = try await server.send(imagePath("w:1", source))
                answers.insert("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
            }
            #expect(answers.count == 1 && answers.first?.hasPrefix("502 ") == true, "\(answers)")
            for source in ["local:///a%00.png", "local:///none.png", "local:///a%FF"] {
                let answer = try await server.send(imagePath("w:1", source))
                #expect(
                    answer.status >= 403 && !String(decoding: answer.body, as: UTF8.self).contains("/"), "\(source)")
            }
        }
    }

    @Test(
        "no connection is made for hosts that parsers read differently",
        arguments: [
            "①②⑦.⓪.⓪.①", "127。0。0。1", "127.0.0.1\u{200B}", "%31%32%37.0.0.1", "none.invalid@127.0.0.1",
            "127.0.0.1@none.invalid", "none.invalid#@127.0.0.1", "127.0.0.1\\@none.invalid", "none.invalid\\@127.0.0.1",
            "none.invalid%2F@127.0.0.1", "0x7f.0x0.0x0.0x1", "017700000001", "127.0.0.1.", "[::127.0.0.1]",
            "[0:0:0:0:0:ffff:7f00:0001]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::1%25lo]",
            "127.0.0.1%00.none.invalid",
            " 127.0.0.1", "127.0.0.1:1@127.0.0.1", "*", "",
        ])
    func confusingHosts(host: String) async throws {
        let origin = try LoopbackServer { _ in .ok([1]) }
        try await withServer(["--allowed-ports", "\(origin.port)"]) { server async throws in
            let status = try await server.status(imagePath("w:1", "http://\(host):\(origin.port)/a.jpg"))
            #expect([403, 404, 502].contains(status), "\(host): \(status)")
        }
        #expect(origin.connectionCount == 0)
    }

    @Test(
        "a redirect leads to no other place",
        arguments: [
            ("http://127.0.0.2:PORT/b", 502), ("http://localhost.localdomain:22/", 403), ("http://127.0.0.1:22/", 403),
            ("http://user@127.0.0.1:PORT/", 403), ("file:///etc/passwd", 403), ("gopher://127.0.0.1/", 403),
            ("http://169.254.169.254/latest/meta-data/", 403), ("http://[fd00:ec2::254]/", 403),
            ("http://2130706434:PORT/", 502), ("http://127.0.0.1/" + String(repeating: "a", count: 8_192), 403),
        ])
    func redirects(location: String, expected: Int) async throws {
        let origin = try LoopbackServer { request in
            let port = request.headers["host"]?.split(separator: ":").last ?? ""
            return request.path == "/a.jpg"
                ? .redirect(to: "/hop") : .redirect(to: location.replacing("PORT", with: String(port)))
        }
        try await withServer(origin: origin) { server async throws in
            let status = try await server.status(imagePath("w:1", origin.url("/a.jpg")))
            #expect(status == expected)
        }
        #expect(Set(origin.log.map(\.path)) == ["/a.jpg", "/hop"])
    }

    @Test("a loop of redirects ends")
    func loops() async throws {
        let origin = try LoopbackServer { request in .redirect(to: request.path + "x") }
        try await withServer(origin: origin) { server async throws in
            let status = try await server.status(imagePath("w:1", origin.url("/")))
            #expect(status == 403)
        }
        #expect(origin.requestCount == 11)
    }

    @Test("only origins in the list are loaded")
    func allowList() async throws {
        let origin = try Samples.origin()
        try await withServer(["--allowed-sources", "127.0.0.1:\(origin.port)"], origin: origin) { server async throws in
            #expect(try await server.status(imagePath("w:1", origin.url("/a.jpg"))) == 200)
            #expect(try await server.status("/_/w:1/plain/http://example.com/a.jpg") == 403)
        }
    }

    @Test("URLs with a wrong signature are refused without any work")
    func signatures() async throws {
        let origin = try LoopbackServer { _ in .ok([1]) }
        let settings = ["--key", "aa", "--salt", "bb"]
        try await withServer(settings, origin: origin) { server async throws in
            #expect(try await server.status(imagePath("w:1", origin.url("/a.jpg"))) == 403)
            #expect(try await server.status("/info" + imagePath("w:1", origin.url("/a.jpg"))) == 403)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test("files are read only inside of the folders")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roots-\(UUID().uuidString)")
        let root = folder.appending(path: "images")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Samples.jpeg().write(to: root.appending(path: "a.jpg"))
        try Samples.jpeg().write(to: folder.appending(path: "secret.jpg"))
        try FileManager.default.createSymbolicLink(
            at: root.appending(path: "link.jpg"), withDestinationURL: folder.appending(path: "secret.jpg"))
        try await withServer(["--file-roots", root.path]) { server async throws in
            func status(_ path: String) async throws -> Int {
                try await server.status(imagePath("w:1", "file://" + path))
            }
            #expect(try await status(root.path + "/a.jpg") == 200)
            #expect(try await status(root.path + "/../secret.jpg") != 200)
            #expect(try await status(root.path + "/%2e%2e/secret.jpg") != 200)
            let link = try await server.send(imagePath("w:1", "file://\(root.path)/link.jpg"))
            #expect(link.status == 403)
            #expect(!String(decoding: link.body, as: UTF8.self).contains("/"), "the response tells a path")
            #expect(try await status(folder.path + "/secret.jpg") != 200)
            #expect(try await status("/etc/passwd") != 200)
            #expect(try await status("/dev/zero") != 200)
        }
        try await withServer { server async throws in
            let status = try await server.status("/_/w:1/plain/file%3A%2F%2F%2Fetc%2Fpasswd")
            #expect(status == 403)
        }
    }

    @Test("sources beyond the limits are refused", .serialized, arguments: ["/bytes", "/endless", "/pixels", "/text"])
    func limits(path source: String) async throws {
        var bomb = try Samples.png()
        // The width in the header of PNG, with a checksum that the decoder does not need to reach the limit.
        bomb.replaceSubrange(16..<24, with: [0, 0, 0x7F, 0xFF, 0, 0, 0x7F, 0xFF])
        let image = bomb
        let endless =
            [LoopbackStep.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
            + (0..<64).map { _ in LoopbackStep.bytes(LoopbackReply.chunk([UInt8](repeating: 0, count: 4_096))) }
        let origin = try LoopbackServer { request in
            switch request.path {
            case "/bytes": .ok([UInt8](repeating: 0, count: 200_000))
            case "/endless": .steps(endless + [.awaitDisconnect])
            case "/pixels": .ok(image)
            default: .ok("not an image".utf8)
            }
        }
        try await withServer(["--max-source-bytes", "100000", "--max-source-pixels", "1000000"], origin: origin) {
            server async throws in
            let status = try await server.status(imagePath("w:1", origin.url(source)))
            #expect(status == 422)
        }
    }
}
