import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Testing

@Suite("Unknown transfer codings")
struct UnknownTransferCodingTests {
    @Test(
        "one beside a length is refused (RFC 9112, 6.3), and so is one of a body to decode", arguments: [true, false],
        [true, false])
    func refused(decodesContent: Bool, hasLength: Bool) throws {
        let url = try #require(URL(string: "http://example.com/a"))
        var request = TransportRequest(url: url)
        request.decodesContent = decodesContent
        var head = ResponseHead(status: .ok, headers: [.transferEncoding: "lzma"], url: url)
        if hasLength { head.headers[.contentLength] = "5" }
        if decodesContent || hasLength {
            #expect(throws: TransportError.malformedResponse("unknown transfer coding lzma")) {
                try request.hasUnknownTransferCoding(head)
            }
        } else {
            #expect(try request.hasUnknownTransferCoding(head))
        }
    }
}
