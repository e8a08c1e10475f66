import Foundation
import HTTPTypes
import LoopbackServer
import Testing

@Suite("Sources in buckets, which are cached as their server says", .timeLimit(.minutes(10)))
struct BucketTests {
    @Test("a result is as fresh and as private as its object, which is loaded once for all sizes")
    func freshness() async throws {
        let source = try Samples.jpeg()
        let bucket = try LoopbackServer { request in
            let cacheControl = ["/b/short.jpg": "max-age=5", "/b/private.jpg": "private, no-store"][request.path]
            return .ok(source, headers: ["Cache-Control": cacheControl ?? "max-age=600", "ETag": "\"1\""])
        }
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = [
            "--bucket-access-key", "key", "--bucket-secret-key", "secret", "--bucket-endpoint",
            bucket.url("/").absoluteString, "--cache-directory", folder.path,
        ]
        try await withServer(settings) { server async throws in
            let short = try await server.send("/_/w:16/f:png/plain/s3://b/short.jpg").headers[.cacheControl] ?? ""
            #expect((0...5).contains { short == "public, max-age=\($0)" }, "\(short)")
            let hidden = try await server.send("/_/w:16/f:png/plain/s3://b/private.jpg")
            #expect(hidden.status == 200 && hidden.headers[.cacheControl] == "no-store")
            for width in [8, 16, 24] {
                #expect(try await server.status("/_/w:\(width)/f:png/plain/s3://b/long.jpg") == 200)
            }
        }
        #expect(bucket.log.filter { $0.path == "/b/long.jpg" }.count == 1)
        #expect(bucket.log.allSatisfy { $0.headers["authorization"]?.hasPrefix("AWS4-HMAC-SHA256") == true })
    }
}
