import Foundation
import ImageTransporting

/// Returns all bytes of a body.
func collect(_ body: TransportBody) async throws(TransportError) -> [UInt8] {
    Array(try await body.collected(expectedByteCount: nil, byteLimit: .max))
}

/// Sends a request and reads its body to the end. Returns the failure, or nil if it succeeds.
func failure(_ transport: any DataTransport, _ request: TransportRequest) async -> TransportError? {
    do throws(TransportError) {
        _ = try await collect(try await transport.send(request).body)
        return nil
    } catch {
        return error
    }
}

/// Returns a deterministic sequence of varying bytes.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

extension TransportError {
    /// The name of the case, for failures whose text isn't compared.
    var kind: String? { Mirror(reflecting: self).children.first?.label }
}
