import Foundation
import HTTPTypes
import ImageTransportCurl
import ImageTransporting

// Compiles the example of the module's README.md.
func example() async throws {
    guard let url = URL(string: "https://example.com/a.jpg") else { return }
    let transport = CurlTransport()
    let response = try await transport.send(TransportRequest(url: url, headers: [.accept: "image/*"]))
    for try await piece in response.body { print(piece.count) }
}
