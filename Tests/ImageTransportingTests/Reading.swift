import Foundation
import ImageTransporting
import Testing

/// Sends a request and reads its body to the end.
func fetch(_ transport: some DataTransport, _ request: TransportRequest) async throws -> (ResponseHead, [Data]) {
    let response = try await transport.send(request)
    var pieces: [Data] = []
    for try await piece in response.body { pieces.append(piece) }
    return (response.head, pieces)
}

extension URL {
    /// Returns the URL of a string. Fails the test if the string isn't a URL.
    static func of(_ text: String) throws -> URL { try #require(URL(string: text)) }
}

extension TransportError {
    /// The name of the case, for failures whose text isn't compared.
    var kind: String? { Mirror(reflecting: self).children.first?.label }
}
