import Foundation
import HTTPTransports
import ImageDiskCaching
import ImageTesting
import ImageTransporting
import LoopbackServer
import Synchronization
import Testing

@testable import ImageHTTPCaching

@Suite("Interrupted downloads", .timeLimit(.minutes(10)))
struct ResumptionTests {
    /// 50 MiB of distinct blocks of random bytes, each a rotation of the one before.
    private let body: [UInt8] = {
        var random = SeededRandom(seed: 5)
        let block = (0..<1 << 17).flatMap { _ in unsafe withUnsafeBytes(of: random.next()) { unsafe Array($0) } }
        return (0..<50).flatMap { block[($0 * 4_099)...] + block[..<($0 * 4_099)] }
    }()
    private let partByteCount = 1 << 20

    /// Returns a transport with a new cache object and new connections, as after a restart of the app.
    private func relaunched(_ http: HTTPTransport, _ folder: URL) -> ResumingTransport {
        ResumingTransport(
            http.make(),
            cache: DiskDataCache(directory: folder, byteLimit: 100 << 20, now: { Date() }),
            partByteCount: partByteCount, now: { Date() })
    }

    private func fetch(_ url: URL, _ transport: ResumingTransport) async throws(TransportError) -> Data {
        let response = try await transport.send(TransportRequest(url: url))
        return try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
    }

    @Test(
        "a download of 50 MiB with 20 interruptions and restarts transfers hardly more bytes than without",
        arguments: HTTPTransport.allCases)
    func manyInterruptions(_ http: HTTPTransport) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "resumption-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cuts = Cuts(count: 20, seed: 7)
        let body = body
        let server = try LoopbackServer { request in
            .response(.resumable(body, tag: "\"1\"", to: request), cut: cuts.next(of: body.count))
        }
        for _ in 0..<20 {
            await #expect(throws: TransportError.self) { try await fetch(server.url(), relaunched(http, folder)) }
        }
        #expect(try await fetch(server.url(), relaunched(http, folder)) == Data(body))
        let lost = http.losesUnreadBytes ? 20 * partByteCount : 0
        #expect(server.sentByteCount < body.count + body.count / 100 + lost)
        #expect(server.requestCount == 21)
    }
}

/// Random numbers of bytes after which responses are interrupted.
private final class Cuts: Sendable {
    private let state: Mutex<(left: Int, random: SeededRandom)>
    private let count: Int

    init(count: Int, seed: UInt64) {
        self.count = count
        state = Mutex((count, SeededRandom(seed: seed)))
    }

    /// Returns the next number of bytes, or nil after the last one. The sum is below `total`.
    func next(of total: Int) -> Int? {
        state.withLock { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return Int.random(in: 0..<total / count, using: &state.random)
        }
    }
}
