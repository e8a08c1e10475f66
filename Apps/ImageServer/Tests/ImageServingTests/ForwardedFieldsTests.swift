import Foundation
import HTTPTypes
import LoopbackServer
import Testing

@testable import ImageServerKit

@Suite("Header fields of clients for origins", .timeLimit(.minutes(10)))
struct ForwardedFieldsTests {
    private static let tenant = HTTPField.Name("X-Tenant") ?? .via

    /// An origin with a picture of another width for each client.
    private func makeOrigin(_ headers: [String: String] = ["Cache-Control": "max-age=600"]) throws -> LoopbackServer {
        let widths = ["user=a": 11, "user=b": 12, "a": 13, "b": 14, "Bearer a": 15]
        let images = try Dictionary(
            uniqueKeysWithValues: (widths.map { ($0.key, $0.value) } + [("", 10)]).map {
                ($0.0, try Samples.png($0.1, 5))
            })
        return try LoopbackServer { request in
            let names = ["cookie", "x-tenant", "authorization"]
            return .ok(images[names.lazy.compactMap { request.headers[$0] }.first ?? ""] ?? Data(), headers: headers)
        }
    }

    private func settings(_ origin: LoopbackServer, _ others: [String] = []) -> [String] {
        [
            "--forward-headers", "X-Tenant,Authorization", "--forward-cookies", "true", "--forward-sources",
            "http://127.0.0.1:\(origin.port)",
        ] + others
    }

    private func field(_ name: String, _ fields: HTTPFields) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    @Test("each client gets what the origin has for it, from all caches, also after a restart")
    func separation() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "forwarded-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let origin = try makeOrigin()
        let clients: [(fields: HTTPFields, size: String)] = [
            ([.cookie: "user=a"], "11x5"), ([:], "10x5"), ([.cookie: "user=b"], "12x5"), ([Self.tenant: "a"], "13x5"),
            ([Self.tenant: "b"], "14x5"), ([.authorization: "Bearer a"], "15x5"),
        ]
        for levels in [["origin", "memory"], ["disk", "memory"]] {
            let settings = settings(origin, ["--cache-directory", folder.path])
            try await withServer(settings, origin: origin) { server async throws in
                for (level, client) in levels.flatMap({ level in clients.map { (level, $0) } }) {
                    let path = imagePath("f:png", origin.url("/a.png"))
                    let answer = try await server.send(path, .get, client.fields)
                    #expect(field("X-Result-Size", answer.headers) == client.size, "\(client.fields) \(level)")
                    #expect(field("X-Cache", answer.headers) == level)
                    let storage = client.fields.isEmpty ? "public" : "private"
                    #expect(answer.headers[.cacheControl]?.hasPrefix("\(storage), max-age=") == true)
                    #expect(answer.headers[.vary] == "X-Tenant, Authorization, Cookie")
                }
                // Another result of the cached originals.
                for client in clients {
                    let answer = try await server.send(imagePath("f:jpg", origin.url("/a.png")), .get, client.fields)
                    #expect(field("X-Result-Size", answer.headers) == client.size)
                }
            }
        }
        #expect(origin.requestCount == clients.count, "originals are cached for each client")
        #expect(!origin.log.contains { $0.headers.keys.contains { $0.hasPrefix("x-image-server") } })
    }

    @Test("a client gets a new original after a purge, and others don't get it")
    func purge() async throws {
        let origin = try makeOrigin()
        let folder = FileManager.default.temporaryDirectory.appending(path: "forwarded-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = settings(origin, ["--cache-directory", folder.path, "--purge-secret", "s"])
        try await withServer(settings, origin: origin) { server async throws in
            let path = imagePath("f:png", origin.url("/a.png"))
            for _ in 0..<2 { #expect(try await server.send(path, .get, [.cookie: "user=a"]).status == 200) }
            #expect(origin.requestCount == 1)
            let purge = "/purge/plain/\(origin.url("/a.png"))"
            #expect(try await server.send(purge, .delete, [.authorization: "Bearer s"]).status == 204)
            #expect(try await server.send(path, .get, [.cookie: "user=a"]).status == 200)
            #expect(origin.requestCount == 2)
        }
    }

    @Test("fields stay with their origin: redirects to others, and sources at others, get none")
    func redirects() async throws {
        let other = try makeOrigin()
        let origin = try LoopbackServer { [target = other.url("/b.png").absoluteString] request in
            request.path == "/a" ? .redirect(to: "/same") : .redirect(to: target)
        }
        let ports = ["--allowed-ports", "\(origin.port),\(other.port)", "--request-headers", "X-Key=secret"]
        // Both origins receive fields, but not those that were for the other one.
        let both = ["--forward-sources", "http://127.0.0.1:\(origin.port),http://127.0.0.1:\(other.port)"]
        let settings = settings(origin, ["--allowed-addresses", "127.0.0.1"] + ports)
        for settings in [settings, settings.prefix(4) + both + settings.dropFirst(6)] {
            try await withServer(Array(settings)) { server async throws in
                let fields: HTTPFields = [.cookie: "user=a", Self.tenant: "a", .authorization: "Bearer a"]
                let answer = try await server.send(imagePath("f:png", origin.url("/a")), .get, fields)
                #expect(field("X-Result-Size", answer.headers) == "10x5")
            }
        }
        let names = ["cookie", "x-tenant", "authorization", "x-key"]
        #expect(origin.log.count == 4 && origin.log.allSatisfy { Set($0.headers.keys).isSuperset(of: names) })
        #expect(other.log.count == 2 && other.log.allSatisfy { Set($0.headers.keys).isDisjoint(with: names) })
        try await withServer(settings) { server async throws in
            let answer = try await server.send(imagePath("f:png", other.url("/b.png")), .get, [.cookie: "user=a"])
            #expect(field("X-Result-Size", answer.headers) == "10x5" && answer.headers[.vary] == nil)
            #expect(answer.headers[.cacheControl]?.hasPrefix("public") == true)
        }
        #expect(other.log.last.map { Set($0.headers.keys).isDisjoint(with: names) } == true)
    }

    @Test("fields stay in the folder of the settings, also after a redirect to another one of the origin")
    func folders() async throws {
        let image = try Samples.png(10, 5)
        let origin = try LoopbackServer { $0.path == "/in/a" ? .redirect(to: "/out/b") : .ok(image) }
        let settings = ["--forward-headers", "X-Tenant", "--forward-sources", "http://127.0.0.1:\(origin.port)/in/"]
        try await withServer(settings, origin: origin) { server async throws in
            let path = imagePath("f:png", origin.url("/in/a"))
            #expect(try await server.send(path, .get, [Self.tenant: "a"]).status == 200)
        }
        #expect(origin.log.map { $0.headers["x-tenant"] } == ["a", nil])
    }

    @Test("fields that are too large are refused, and those of a connection stay here")
    func bounds() async throws {
        let origin = try makeOrigin()
        try await withServer(settings(origin), origin: origin) { server async throws in
            let path = imagePath("f:png", origin.url("/a.png"))
            let large = String(repeating: "a", count: 9_000)
            #expect(try await server.send(path, .get, [.cookie: large]).status == 431)
            #expect(try await server.send("/info" + path, .get, [.cookie: large]).status == 431)
            #expect(origin.requestCount == 0)
            let answer = try await server.send(path, .get, [.cookie: "user=a", .connection: "keep-alive, Cookie"])
            #expect(field("X-Result-Size", answer.headers) == "10x5")
            let info = try await server.send("/info" + path, .get, [.cookie: "user=a"])
            #expect(String(bytes: info.body, encoding: .utf8)?.contains("\"width\":11") == true)
            #expect(info.headers[.cacheControl] == "private, no-cache")
        }
    }

    @Test("the cookies of a client reach the origin in one field with its bytes, and each byte and the order count")
    func cookieBytes() async throws {
        let cookies =
            ["a=1; b=2", "b=2; a=1", "a=ü"].map { Array($0.utf8) } + [[0x61, 0x3D, 0xFF], [0x61, 0x3D, 0xFE]]
        let images = try (1...cookies.count).map { try Samples.png($0, 5) }
        let origin = try LoopbackServer { request in
            let index = cookies.firstIndex { request.head.firstRange(of: Array("ookie: ".utf8) + $0) != nil }
            return index.map { .ok(images[$0], headers: ["Cache-Control": "max-age=600"]) } ?? .notFound
        }
        try await withServer(settings(origin), origin: origin) { server async throws in
            for (index, cookie) in cookies.enumerated() {
                let crumbs = index == 0 ? cookie.split(separator: UInt8(ascii: ";")) : [cookie[...]]
                let fields = HTTPFields(crumbs.map { HTTPField(name: .cookie, value: $0) })
                let answer = try await server.send(imagePath("f:png", origin.url("/a.png")), .get, fields)
                #expect(field("X-Result-Size", answer.headers) == "\(index + 1)x5")
            }
        }
    }

    @Test("constant fields are sent for everybody, and don't make a result private")
    func constant() async throws {
        let origin = try makeOrigin()
        let settings = ["--request-headers", "X-Tenant: b", "--forward-sources", "127.0.0.1:\(origin.port)"]
        try await withServer(settings, origin: origin) { server async throws in
            let path = imagePath("f:png", origin.url("/a.png"))
            for level in ["origin", "memory"] {
                let answer = try await server.send(path, .get, [Self.tenant: "a", .cookie: "user=a"])
                #expect(field("X-Result-Size", answer.headers) == "14x5")
                #expect(field("X-Cache", answer.headers) == level)
                #expect(answer.headers[.cacheControl]?.hasPrefix("public") == true && answer.headers[.vary] == nil)
            }
        }
    }

    private func read(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> ServerSettings {
        try await ServerSettings(
            arguments: ["--allow-unsigned", "true"] + arguments, environment: environment, coreCount: 1)
    }

    @Test(
        "settings name fields that can be forwarded, and to whom",
        arguments: [
            "Host", "content-length", "Range", "If-None-Match", "If-Modified-Since", "If-Range", "Connection",
            "Keep-Alive", "TE", "Transfer-Encoding", "Upgrade", "Proxy-Authorization", "Cookie", "Cache-Control",
            "Accept-Encoding", "X-Image-Server-Client", "a b", "ä",
        ])
    func names(name: String) async throws {
        await #expect(throws: SettingsFailure.self) {
            try await read(["--forward-headers", name, "--forward-sources", "a.org"])
        }
        if name == "Cookie" { return }
        await #expect(throws: SettingsFailure.self) {
            try await read(["--request-headers", "\(name): 1", "--forward-sources", "a.org"])
        }
    }

    @Test("forwarding needs a list of origins, and imgproxy's variables stand for it")
    func destinations() async throws {
        for flags in [["--forward-headers", "X-A"], ["--forward-cookies", "true"], ["--request-headers", "X-A: 1"]] {
            await #expect(throws: SettingsFailure.self, "\(flags)") { try await read(flags) }
            _ = try await read(flags + ["--allowed-sources", "a.org"])
        }
        let imgproxy = [
            "IMGPROXY_COOKIE_PASSTHROUGH": "true", "IMGPROXY_COOKIE_BASE_URL": "https://a.org/x",
            "IMGPROXY_REQUEST_HEADERS_PASSTHROUGH": "X-A,X-B", "IMGPROXY_CUSTOM_REQUEST_HEADERS": #"X-C=1\;X-D=2"#,
        ]
        let forwarding = try await read([], imgproxy).forwarding
        #expect(forwarding.names.map(\.rawName) == ["X-A", "X-B", "Cookie"] && forwarding.constant.count == 2)
        for (url, isAllowed) in [("https://a.org/x/1", true), ("https://a.org/y", false), ("http://a.org/x/1", false)] {
            #expect(try forwarding.destinations.allows(url) == isAllowed, "\(url)")
        }
    }
}

extension OriginRules {
    fileprivate func allows(_ text: String) throws -> Bool {
        let url = try #require(URL(string: text))
        return (try? check(url)) != nil
    }
}
