import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@Suite("data: URLs")
struct DataURLTransportTests {
    @Test(
        "text and base64 are decoded, with their media type",
        arguments: [
            ("data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"),
            ("data:text/plain;charset=utf-8,%C3%A9", "text/plain;charset=utf-8", "é"),
            ("data:text/plain;base64,SGVsbG8=", "text/plain", "Hello"),
            ("data:text/plain;base64,SGVsbG8", "text/plain", "Hello"),
            ("data:text/plain;base64,SGVs%0AbG8%3D", "text/plain", "Hello"),
            ("data:;base64,SGk=", "text/plain;charset=US-ASCII", "Hi"),
            ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"),
            ("data:image/svg+xml,%3Csvg/%3E#fragment", "image/svg+xml", "<svg/>"),
            ("DATA:text/plain;BASE64,SGk=", "text/plain", "Hi"),
            ("data:,100%25", "text/plain;charset=US-ASCII", "100%"),
        ])
    func decoding(_ text: String, _ type: String, _ content: String) async throws {
        let (head, pieces) = try await fetch(DataURLTransport(), TransportRequest(url: try .of(text)))
        #expect(head.status == .ok)
        #expect(head.headers[.contentType] == type)
        #expect(head.expectedByteCount == content.utf8.count)
        #expect(pieces == [Data(content.utf8)])
    }

    @Test("an empty payload has an empty body")
    func empty() async throws {
        #expect(try await fetch(DataURLTransport(), TransportRequest(url: try .of("data:,"))).1 == [])
    }

    @Test("HEAD has the type without the payload, and a cancelled request fails")
    func headAndCancellation() async throws {
        let url = try URL.of("data:image/png;base64,SGk=")
        let (head, pieces) = try await fetch(DataURLTransport(), TransportRequest(url: url, method: .head))
        #expect(head.headers[.contentType] == "image/png" && head.expectedByteCount == 0 && pieces.isEmpty)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await DataURLTransport().send(TransportRequest(url: url))
        }
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test("an invalid base64 payload is malformed")
    func notBase64() async throws {
        let request = TransportRequest(url: try .of("data:;base64,SGV*bG8="))
        await #expect(throws: TransportError.malformedResponse("the data: URL is not base64")) {
            try await fetch(DataURLTransport(), request)
        }
    }

    @Test("URLs without a comma or with another scheme are invalid", arguments: ["data:text/plain", "http://a/,x"])
    func invalid(_ text: String) async throws {
        let request = TransportRequest(url: try .of(text))
        let failure = await #expect(throws: TransportError.self) { try await fetch(DataURLTransport(), request) }
        #expect(failure?.kind == "invalidURL")
    }

    @Test("the size limit is exact", arguments: ["data:,12345", "data:;base64,MTIzNDU="])
    func limit(_ text: String) async throws {
        let fits = try await fetch(DataURLTransport(), TransportRequest(url: try .of(text), bodyByteLimit: 5))
        #expect(fits.1 == [Data("12345".utf8)])
        let request = TransportRequest(url: try .of(text), bodyByteLimit: 4)
        await #expect(throws: TransportError.tooLarge(byteLimit: 4)) {
            try await fetch(DataURLTransport(), request)
        }
    }
}
