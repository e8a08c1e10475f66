import Foundation
import HTTPTypes
import ImageContentCoding
import ImageTransporting
import Testing

@Suite("Content decoder")
struct ContentDecoderTests {
    private static let text = Data(String(repeating: "hello ", count: 100).utf8)
    private static let gzip = Data([
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x18,
        0x25, 0x47, 0x49, 0xAA, 0x92, 0x00, 0xF3, 0x31, 0xA2, 0x0D, 0x58, 0x02, 0x00, 0x00,
    ])
    private static let deflate = Data([
        0x78, 0xDA, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x18, 0x25, 0x47, 0x49, 0xAA, 0x92, 0x00, 0xED, 0xD2,
        0xDC, 0x51,
    ])

    private func decoder(_ coding: String?, limit: Int = 1 << 20) throws(TransportFailure) -> ContentDecoder? {
        var head = ResponseHead(status: .ok, url: URL(filePath: "/"))
        head.headers[.contentEncoding] = coding
        return try ContentDecoder(for: head, maxDecodedBytes: limit)
    }

    private func decoded(_ pieces: [Data], coding: String = "gzip", limit: Int = 1 << 20) throws -> Data {
        let decoder = try #require(try decoder(coding, limit: limit))
        let whole = try pieces.reduce(into: Data()) { $0 += try decoder.decoded($1) }
        try decoder.finish()
        return whole
    }

    @Test(
        "gzip and deflate are decoded",
        arguments: [("gzip", gzip), ("x-gzip", gzip), ("GZIP", gzip), ("deflate", deflate)])
    func codings(_ coding: String, _ bytes: Data) throws {
        #expect(try decoded([bytes], coding: coding) == Self.text)
    }

    @Test("a body in single bytes and a body of several gzip members are decoded completely")
    func pieces() throws {
        #expect(try decoded(Self.gzip.map { Data([$0]) }) == Self.text)
        #expect(try decoded([Self.gzip + Self.gzip]) == Self.text + Self.text)
    }

    @Test("a body without a content coding has no decoder, and other codings are rejected")
    func others() throws {
        #expect(try decoder(nil) === nil)
        #expect(try decoder("identity") === nil)
        #expect(throws: TransportFailure.self) { try decoder("br") }
    }

    @Test("a body that decodes to the limit is accepted, and one that decodes to more is not")
    func limit() throws {
        #expect(try decoded([Self.gzip], limit: 600).count == 600)
        #expect(throws: TransportFailure.decodedBodyTooLarge(allowedBytes: 599)) {
            try decoded([Self.gzip], limit: 599)
        }
    }

    @Test("a body that is truncated anywhere throws closedEarly, and an empty body doesn't", arguments: 1..<32)
    func cut(_ count: Int) throws {
        let error = #expect(throws: TransportFailure.self) { try decoded([Self.gzip.prefix(count)]) }
        guard case .closedEarly(_, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try decoded([]).isEmpty)
    }

    @Test("invalid data and wrong checksums throw malformedResponse")
    func broken() throws {
        var altered = Self.gzip
        altered[25] ^= 1
        for bytes in [Data("not gzip".utf8), altered] {
            let error = #expect(throws: TransportFailure.self) { try decoded([bytes]) }
            guard case .malformedResponse = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
