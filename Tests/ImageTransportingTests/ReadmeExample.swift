import Foundation
import ImageTransporting

// Compiles the example of the module's README.md.
func example() async throws {
    let transport = FileTransport(.folders([URL(filePath: "/srv/images")]))
    guard let url = URL(string: "file:///srv/images/a.jpg") else { return }
    let response = try await transport.send(TransportRequest(url: url, bodyByteLimit: 20 << 20))
    var received = 0
    for try await piece in response.body { received += piece.count }
    print(received, "of", response.head.expectedByteCount ?? 0)
}
