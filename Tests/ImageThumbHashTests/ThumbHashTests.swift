import Foundation
import ImageCore
import ImageThumbHash
import Testing

@Suite("Bytes of hashes")
struct ThumbHashTests {
    private static let opaque = ThumbHash(bitmap: drawn(100, 40, isOpaque: true))
    private static let translucent = ThumbHash(bitmap: drawn(64, 48, isOpaque: false))

    private func error(_ body: () throws(ThumbHashError) -> ThumbHash) -> ThumbHashError? {
        do throws(ThumbHashError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("bytes and text of a hash can be read back", arguments: [opaque, translucent])
    func roundTrip(hash: ThumbHash) throws {
        #expect(try ThumbHash(data: hash.data) == hash)
        #expect(try ThumbHash(base64: hash.base64) == hash)
        #expect(hash.description == hash.base64)
    }

    @Test("a hash is coded as base64 text")
    func coding() throws {
        let json = try JSONEncoder().encode([Self.opaque])
        #expect(String(decoding: json, as: UTF8.self) == #"["\#(Self.opaque.base64)"]"#)
        #expect(try JSONDecoder().decode([ThumbHash].self, from: json) == [Self.opaque])
        let list = try PropertyListEncoder().encode([Self.opaque])
        #expect(try PropertyListDecoder().decode([String].self, from: list) == [Self.opaque.base64])
        #expect(throws: ThumbHashError.self) {
            try JSONDecoder().decode([ThumbHash].self, from: Data(#"["AAAA"]"#.utf8))
        }
    }

    @Test("a hash has at most 25 bytes")
    func length() {
        let sizes = [1, 10, 30, 50, 70, 90, 100]
        let lengths = sizes.flatMap { width in
            sizes.flatMap { height in
                [true, false].map { ThumbHash(bitmap: drawn(width, height, isOpaque: $0)).data.count }
            }
        }
        #expect(lengths.max() == 25)
        #expect(lengths.min() ?? 0 >= 11)
    }

    @Test("fewer or more bytes than the header says are an error", arguments: [opaque, translucent])
    func wrongLength(hash: ThumbHash) {
        for count in 0..<30 where count != hash.data.count {
            let data = (hash.data + Data(count: 30)).prefix(count)
            let expected = count < 5 ? 5 : hash.data.count
            #expect(
                error { () throws(ThumbHashError) in try ThumbHash(data: data) }
                    == .wrongLength(count, expected: expected))
        }
    }

    @Test(
        "an impossible number of frequencies along the shorter side is an error",
        arguments: [(opaque, 0), (translucent, 0), (translucent, 6), (translucent, 7)] as [(ThumbHash, UInt8)])
    func invalidFrequencyCount(hash: ThumbHash, count: UInt8) {
        var data = hash.data
        data[3] = data[3] & ~7 | count
        #expect(error { () throws(ThumbHashError) in try ThumbHash(data: data) } == .invalidFrequencyCount(Int(count)))
    }

    @Test("any other bytes are decoded to an image", arguments: 0..<256)
    func anyBytes(value: Int) throws {
        var data = Self.translucent.data
        for index in data.indices where ![2, 3, 4].contains(index) { data[index] = UInt8(value) }
        data[2] = 0x80 | UInt8(value) >> 1
        data[3] = data[3] & 7 | UInt8(value) & 0xf8
        #expect(try ThumbHash(data: data).bitmap().size == PixelSize(width: 32, height: 26))
    }

    @Test(
        "text that is not base64 is an error",
        arguments: ["", "*", "HwgKM5pwd3dweHd3gIAJ+Ig", "1QcSHQRnh493V4dIh4eXh1h4kJU-"])
    func notBase64(text: String) {
        let expected: ThumbHashError = text.isEmpty ? .wrongLength(0, expected: 5) : .notBase64
        #expect(error { () throws(ThumbHashError) in try ThumbHash(base64: text) } == expected)
    }
}
