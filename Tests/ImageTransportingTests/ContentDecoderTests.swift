import Foundation
import HTTPTypes
import Testing

@testable import ImageTransporting

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

    private func decoder(_ coding: String?, limit: Int = 1 << 20) throws(TransportError) -> ContentDecoder? {
        var headers = HTTPFields()
        headers[.contentEncoding] = coding
        return try ContentDecoder(for: ContentCodings(headers), decodedByteLimit: limit)
    }

    private func decoded(_ pieces: [Data], coding: String = "gzip", limit: Int = 1 << 20) throws -> Data {
        let decoder = try #require(try decoder(coding, limit: limit))
        var whole = Data()
        for piece in pieces {
            decoder.add(piece)
            while case let batch = try decoder.next(), !batch.isEmpty { whole += batch }
        }
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

    @Test("bytes that are no gzip member end the body, in the same piece or a later one")
    func padding() throws {
        let zeros = Data(count: 3)
        #expect(try decoded([Self.gzip + zeros]) == Self.text)
        #expect(try decoded([Self.gzip, zeros, zeros]) == Self.text)
    }

    @Test(
        "a body without a known content coding has no decoder",
        arguments: [nil, "", "identity", ", ", "UTF-8", "none", "binary", "aws-chunked", "image/png", "br", "zstd, br"])
    func others(_ coding: String?) throws { #expect(try decoder(coding) === nil) }

    @Test(
        "empty and unknown members of a list don't prevent decoding",
        arguments: [
            ("gzip, ", gzip), (",,gzip", gzip), ("identity, gzip", gzip), ("gzip, aws-chunked", gzip),
            ("aws-chunked, gzip", gzip), ("UTF-8, deflate", deflate), ("x-gzip,none", gzip),
        ])
    func lists(_ coding: String, _ bytes: Data) throws {
        #expect(try decoded([bytes], coding: coding) == Self.text)
        #expect(try decoded(bytes.map { Data([$0]) }, coding: coding) == Self.text)
    }

    @Test(
        "beside an unknown coding, a body that isn't compressed is returned as it is",
        arguments: ["gzip, aws-chunked", "br, gzip", "deflate, UTF-8", "gzip, deflate, none"],
        [
            Data([0x89, 0x50, 0x4E, 0x47, 0x0D]), Data([0xFF, 0xD8, 0xFF, 0xE0]), Data("GIF89a".utf8),
            Data("RIFF".utf8),
            Data([0, 0, 0, 28]), Data([0xFF, 0x0A]), Data("<svg".utf8), Data("BM".utf8), Data([0x7F]), Data(),
        ])
    func uncompressed(_ coding: String, _ bytes: Data) throws {
        #expect(try decoded([bytes], coding: coding) == bytes)
        #expect(try decoded(bytes.map { Data([$0]) }, coding: coding, limit: 0) == bytes)
    }

    @Test("two codings are decoded in the reverse order, and more are refused")
    func nested() throws {
        #expect(try decoded([Self.nestedGzip], coding: "gzip, gzip") == Self.text)
        #expect(try decoded(Self.nestedGzip.map { Data([$0]) }, coding: "gzip, x-gzip") == Self.text)
        #expect(throws: TransportError.self) { try decoded([Self.gzip], coding: "gzip, gzip") }
        #expect(throws: TransportError.decodedBodyTooLarge(byteLimit: 599)) {
            try decoded([Self.nestedGzip], coding: "gzip, gzip", limit: 599)
        }
        #expect(throws: TransportError.closedEarly(received: 0, expected: nil)) {
            try decoded([Self.nestedGzip.prefix(12)], coding: "gzip, gzip")
        }
        let error = #expect(throws: TransportError.self) { try decoder("gzip, deflate, gzip") }
        #expect(error?.kind == "malformedResponse")
    }

    @Test("of two codings, the last one is decoded first, and both must end")
    func order() throws {
        /// Returns deflate data without compression and format (RFC 1951, 3.2.4).
        func deflated(_ bytes: Data) -> Data {
            Data([1, UInt8(bytes.count), 0, ~UInt8(bytes.count), 255]) + bytes
        }
        #expect(try decoded([deflated(Self.gzip)], coding: "gzip, deflate") == Self.text)
        #expect(throws: TransportError.self) {
            try decoded([deflated(Self.gzip.dropLast(4))], coding: "gzip, deflate")
        }
    }

    @Test("each coding is decoded in batches of 64 KiB, and only as far as batches are taken")
    func batches() throws {
        let decoder = try #require(try decoder("gzip", limit: 10 << 20))
        decoder.add(Self.zeros(20 << 20))
        for _ in 0..<160 { #expect(try decoder.next() == Data(count: 64 << 10)) }
        #expect(throws: TransportError.decodedBodyTooLarge(byteLimit: 10 << 20)) { try decoder.next() }
    }

    @Test("what a piece decodes to beyond a batch is returned before the next piece arrives")
    func beyondBatch() throws {
        let decoder = try #require(try decoder("gzip", limit: 10 << 20))
        // The piece ends with the match that reaches over the end of the batch.
        let (matches, headerBits) = (255, 80 + 11)
        decoder.add(Self.zeros(1 << 20).prefix((headerBits + 13 * matches) / 8 + 1))
        #expect(try decoder.next().count == 64 << 10)
        #expect(try decoder.next().count == 1 + 258 * matches - (64 << 10))
        #expect(try decoder.next().isEmpty)
    }

    /// The start of a gzip member of many zeros, with fixed codes (RFC 1951, 3.2.6): a literal, and then matches of 258
    /// bytes with the distance 1.
    private static func zeros(_ count: Int) -> Data {
        let matches = Array(repeating: [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] as [UInt8], count: count / 258 + 1)
        let bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0] + matches.joined()
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reversed().reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3]) + bytes
    }

    /// `gzip` as a stored block of another gzip member.
    private static var nestedGzip: Data {
        let count = UInt8(gzip.count)
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 1, count, 0, ~count, 0xFF]
        let checksum: [UInt8] = [0x74, 0x4F, 0x39, 0xA7]
        return Data(head) + gzip + checksum + [count, 0, 0, 0]
    }

    @Test("deflate without the zlib format is decoded, as in browsers")
    func rawDeflate() throws {
        let raw = Self.deflate.dropFirst(2).dropLast(4)
        #expect(try decoded([Data(raw)], coding: "deflate") == Self.text)
        #expect(try decoded(raw.map { Data([$0]) }, coding: "deflate") == Self.text)
        #expect(try decoded([Self.gzip], coding: "deflate") == Self.text)
        #expect(try decoded([Data(raw) + Data([0x1F, 1])], coding: "deflate") == Self.text)
        #expect(throws: TransportError.self) { try decoded([Data(raw.dropLast())], coding: "deflate") }
    }

    @Test("a body that decodes to the limit is accepted, and one that decodes to more is not")
    func limit() throws {
        #expect(try decoded([Self.gzip], limit: 600).count == 600)
        #expect(throws: TransportError.decodedBodyTooLarge(byteLimit: 599)) {
            try decoded([Self.gzip], limit: 599)
        }
    }

    @Test("a body that is truncated anywhere throws closedEarly, and an empty body doesn't", arguments: 1..<32)
    func cut(_ count: Int) throws {
        let error = #expect(throws: TransportError.self) { try decoded([Self.gzip.prefix(count)]) }
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
            let error = #expect(throws: TransportError.self) { try decoded([bytes]) }
            #expect(error?.kind == "malformedResponse")
        }
    }
}

@Suite("Content codings of a head (RFC 9110, 8.4)")
struct ContentCodingsTests {
    @Test(
        "known codings are decoded in any case, empty members and identity are ignored, and others are unknown",
        arguments: [
            ([], [], false), ([""], [], false), (["identity"], [], false), ([", ,\t,"], [], false),
            (["IDENTITY, identity"], [], false), (["gzip"], ["gzip"], false), (["GZip"], ["gzip"], false),
            (["gzip, "], ["gzip"], false), ([",gzip"], ["gzip"], false), (["x-gzip"], ["x-gzip"], false),
            (["deflate"], ["deflate"], false), (["identity, gzip"], ["gzip"], false),
            (["deflate, gzip"], ["deflate", "gzip"], false), (["deflate", "gzip"], ["deflate", "gzip"], false),
            (["gzip", ""], ["gzip"], false), (["UTF-8"], [], true), (["utf8"], [], true), (["none"], [], true),
            (["binary"], [], true), (["aws-chunked"], [], true), (["image/png"], [], true), (["br"], [], true),
            (["zstd"], [], true), (["8bit"], [], true), (["base64"], [], true), (["null"], [], true),
            (["\"gzip\""], [], true), (["gzip;q=1.0"], [], true), (["7bit, identity"], [], true),
            (["gzip, aws-chunked"], ["gzip"], true), (["aws-chunked", "gzip"], ["gzip"], true),
        ] as [([String], [String], Bool)])
    func parsing(_ lines: [String], _ decodable: [String], _ hasUnknown: Bool) {
        var fields = HTTPFields()
        fields[values: .contentEncoding] = lines
        let codings = ContentCodings(fields)
        #expect(codings.decodable == decodable)
        #expect(codings.hasUnknown == hasUnknown)
        #expect(codings.isEmpty == (decodable.isEmpty && !hasUnknown))
    }
}
