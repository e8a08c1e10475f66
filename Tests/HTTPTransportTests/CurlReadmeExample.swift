import Foundation
import HTTPTypes
import ImageTransportCurl
import ImageTransporting

// The example of the module's README.md: it compiles.
func example() async throws {
    guard let url = URL(string: "https://example.com/a.jpg") else { return }
    let transport = CurlTransport()
    let response = try await transport.send(TransportRequest(url: url, headers: [.accept: "image/*"]))
    for try await piece in response.body { print(piece.count) }
}
