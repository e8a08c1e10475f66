import CommandRunning
import Foundation
import HTTPTransports
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Slow servers", .timeLimit(.minutes(10)))
struct SlowServerTests {
    /// What arrives in pieces.
    enum Slow {
        case head, body, codedBody
    }

    @Test(
        "a body that takes longer than the stall timeout arrives if none of its pauses does",
        arguments: HTTPTransport.allCases, [Slow.body, .codedBody])
    func steady(_ http: HTTPTransport, _ slow: Slow) async throws {
        let expected = pattern(1_000)
        let (head, body) = try await parts(of: expected, slow)
        let server = try LoopbackServer { _ in .steps(head + body) }
        var request = TransportRequest(url: server.url(), stallTimeout: .seconds(3))
        request.minBytesPerSecond = 0
        #expect(try await collect(try await http.make().send(request).body) == expected)
    }

    private func parts(of body: [UInt8], _ slow: Slow) async throws -> ([LoopbackStep], [LoopbackStep]) {
        var (coding, sent) = ("", body)
        if slow == .codedBody {
            let packed = try await CommandResult.run("/usr/bin/gzip", ["-c"], input: Data(body)).output
            coding = "Content-Encoding: gzip\r\n"
            sent = Array(packed)
        }
        let fields = String(repeating: "A: a\r\n", count: 60)
        let head = "HTTP/1.1 200 OK\r\n\(coding)\(fields)Content-Length: \(sent.count)\r\n\r\n"
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().map {
            Array("\($0)\r\n".utf8)
        }
        let size = max(1, sent.count / 60)
        let pieces = stride(from: 0, to: sent.count, by: size).map { Array(sent[$0..<min($0 + size, sent.count)]) }
        return (steps(lines, isSlow: slow == .head), steps(pieces, isSlow: slow != .head))
    }

    private func steps(_ pieces: [[UInt8]], isSlow: Bool) -> [LoopbackStep] {
        pieces.flatMap { [.bytes($0)] + (isSlow ? [.pause(.milliseconds(150))] : []) }
    }

    #if os(Linux)
        // SwiftNIO delivers a head as a whole.
        @Test("a head that takes longer than the stall timeout arrives if none of its pauses does")
        func steadyHead() async throws { try await steady(.curl, .head) }
    #endif

    @Test(
        "a head of exactly the limit is accepted, and a longer one refused", arguments: HTTPTransport.allCases, [0, 1])
    func exactHead(_ http: HTTPTransport, _ surplus: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let server = try LoopbackServer { _ in .steps([.text(head)]) }
        var request = TransportRequest(url: server.url())
        request.headByteLimit = head.utf8.count - surplus
        let expected = surplus == 0 ? nil : TransportError.headTooLarge(byteLimit: request.headByteLimit)
        #expect(await failure(http.make(), request) == expected)
    }
}
