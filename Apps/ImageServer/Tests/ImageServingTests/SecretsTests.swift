#if Redis
    import Foundation
    import HTTPTypes
    import InMemoryLogging
    import Logging
    import LoopbackServer
    import RedisServerProcess
    import Testing

    @testable import ImageServerKit

    @Suite("Secrets in what a server writes", .timeLimit(.minutes(10)))
    struct SecretsTests {
        private static let client: HTTPFields = [
            .cookie: "session=S3cretCookie", .authorization: "Bearer S3cretBearer", tenant: "S3cretTenant",
        ]
        private static let tenant = HTTPField.Name("X-Tenant") ?? .via

        /// The secrets, and what others can compute from them without a key.
        private static var traces: [String] {
            let fields = client.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
            let texts = client.map(\.value) + fields + [fields.joined(separator: "\n")]
            let words = ["S3cretCookie", "S3cretBearer", "S3cretTenant", "S3cretPurge", "S3cretUser", "S3cretQuery"]
            return words + texts.flatMap { [Data($0.utf8).base64EncodedString(), Digest.text(of: Data($0.utf8))] }
        }

        private func expectNoTrace(in bytes: Data, _ place: String) {
            for trace in Self.traces { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in \(place)") }
        }

        @Test("no cache and no log of a server has a client's credentials, the secret of purges or a source's query")
        func unreadable() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let redis = try await RedisServerProcess(.init(lines: ["rdbcompression no"]))
            let source = try Samples.jpeg()
            let origin = try LoopbackServer { _ in
                .ok(source, headers: ["Cache-Control": "max-age=600", "Vary": "Cookie, Authorization, X-Tenant"])
            }
            let log = InMemoryLogHandler()
            var logger = Logger(label: "test") { _ in log }
            logger.logLevel = .trace
            let settings = [
                "--forward-headers", "X-Tenant,Authorization", "--forward-cookies", "true", "--forward-sources",
                "http://127.0.0.1:\(origin.port)", "--cache-directory", folder.path, "--redis-url",
                redis.url.absoluteString, "--purge-secret", "S3cretPurge", "--log-level", "trace",
            ]
            for level in ["origin", "disk"] {
                try await withServer(settings, origin: origin, logger: logger) { server async throws in
                    let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
                    let answer = try await server.send(path, .get, Self.client)
                    #expect(HTTPField.Name("X-Cache").flatMap { answer.headers[$0] } == level)
                    let refused = imagePath("w:16", "http://S3cretUser:b@127.0.0.1:\(origin.port)/a.jpg?k=S3cretQuery")
                    #expect(try await server.send(refused, .get, Self.client).status >= 400)
                    let purge = "/purge/plain/\(origin.url("/b.jpg"))"
                    #expect(try await server.send(purge, .delete, [.authorization: "Bearer S3cretPurge"]).status == 204)
                }
            }
            try await redis.command("SAVE")
            let dump = URL(filePath: redis.socketPath).deletingLastPathComponent().appending(path: "dump.rdb")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            let written = files.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
            #expect(written.count >= 4)
            for file in written + [dump] {
                expectNoTrace(in: Data(file.path.utf8) + (try Data(contentsOf: file)), file.path)
            }
            #expect(log.entries.contains { $0.message == "request" })
            expectNoTrace(in: Data("\(log.entries)".utf8), "the log")
        }
    }
#endif
