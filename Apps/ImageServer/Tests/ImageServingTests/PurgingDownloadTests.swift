import Foundation
import HTTPTypes
import LoopbackServer
import Synchronization
import Testing

@testable import ImageServerKit

@Suite("Purging while an original is downloaded", .timeLimit(.minutes(10)))
struct PurgingDownloadTests {
    private static let token: HTTPFields = [.authorization: "Bearer s"]

    @Test("who asks after the purge doesn't join the download, and what it stores later isn't used")
    func running() async throws {
        let (old, new) = (try Samples.png(8, 8), try Samples.png(6, 6))
        let signal = LoopbackSignal()
        let held = LoopbackResponse(headers: ["Cache-Control": "max-age=99"], body: Array(old))
        let count = Mutex(0)
        let origin = try LoopbackServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { return .ok(new, headers: held.headers) }
            return .steps([.text(held.head), .wait(signal), .bytes(held.body)])
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "purging-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = ["--purge-secret", "s", "--cache-directory", folder.path]
        try await withServer(settings, origin: origin) { server async throws in
            let source = origin.url("/a.png")
            async let first = server.send(imagePath("f:png", source))
            await signal.arrivals(1)
            #expect(try await server.send("/purge/plain/\(source)", .delete, Self.token).status == 204)
            let second = try await server.send(imagePath("f:png", source))
            signal.open()
            #expect(try await first.body != second.body)
            let third = try await server.send(imagePath("f:png", source))
            #expect(third.body == second.body && third.headers[HTTPField.Name("X-Cache") ?? .via] == "memory")
            #expect(try await server.send(imagePath("f:png/w:6", source)).body == second.body)
            #expect(origin.requestCount == 2)
        }
    }
}
