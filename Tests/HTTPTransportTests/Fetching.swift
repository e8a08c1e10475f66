import Foundation
import ImageTransporting

/// Reads a body to its end.
func collect(_ body: TransportBody) async throws(TransportFailure) -> [UInt8] {
    Array(try await body.collected(expectedBytes: nil, limit: .max))
}

/// What sending and reading to the end fails with; nil when it succeeds.
func failure(_ transport: any DataTransport, _ request: TransportRequest) async -> TransportFailure? {
    do throws(TransportFailure) {
        _ = try await collect(try await transport.send(request).body)
        return nil
    } catch {
        return error
    }
}

/// Many bytes, made quickly: a pattern over and over.
func bigPattern(mebibytes: Int) -> [UInt8] {
    let block = pattern(1 << 16)
    var bytes: [UInt8] = []
    for _ in 0..<(mebibytes * 16) { bytes += block }
    return bytes
}

/// Bytes that differ from place to place, the same each time.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
