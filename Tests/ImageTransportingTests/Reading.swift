import Foundation
import ImageTransporting
import Testing

/// Sends and reads to the end.
func fetch(_ transport: some DataTransport, _ request: TransportRequest) async throws -> (ResponseHead, [Data]) {
    let response = try await transport.send(request)
    var pieces: [Data] = []
    for try await piece in response.body { pieces.append(piece) }
    return (response.head, pieces)
}

extension URL {
    /// A URL of a test's own.
    static func of(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
