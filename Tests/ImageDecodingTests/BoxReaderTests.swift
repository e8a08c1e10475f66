import Foundation
import GeneratedImages
import ImageCore
import Testing

@testable import ISOBoxes

@Suite("Boxes of the ISO base media file format")
struct BoxReaderTests {
    private func reading(_ data: Data) -> BoxReader { BoxReader(data, format: .heic) }

    private static let early = ImageDecodingError.malformed(.heic, "a box ends too early")
    private static let size = ImageDecodingError.malformed(.heic, "a box has an invalid size")

    private func box(_ name: String, _ content: Data = Data()) -> Data { HEIFBuilder.box(name, content) }

    @Test("the boxes of a file follow each other, and the last one may exceed it")
    func file() throws {
        let data = box("abcd", Data([1, 2])) + HEIFBuilder.number(100) + Data("efgh".utf8)
        var reader = reading(data)
        let boxes = try reader.fileBoxes()
        #expect(
            boxes == [
                Box(name: "abcd", offset: 0, content: 8..<10), Box(name: "efgh", offset: 10, content: 18..<110),
            ])
        #expect(reader.bytes(in: 8..<10) == Data([1, 2]))
        #expect(reader.name(at: 14) == "efgh")
    }

    @Test("a box has a length of 32 or 64 bits, or extends to the end")
    func lengths() throws {
        let large = HEIFBuilder.number(1) + Data("abcd".utf8) + HEIFBuilder.number(18, 8) + Data([1, 2])
        let open = HEIFBuilder.number(0) + Data("efgh".utf8) + Data([3])
        var reader = reading(large + open)
        #expect(try reader.fileBoxes().map(\.content) == [16..<18, 26..<27])
        #expect(try reader.boxes(in: 0..<27).map(\.content) == [16..<18, 26..<27])
    }

    @Test("a box ends within its parent, and is no shorter than its header")
    func sizes() throws {
        let short = HEIFBuilder.number(7) + Data("abcd".utf8)
        let shortLarge = HEIFBuilder.number(1) + Data("abcd".utf8) + HEIFBuilder.number(15, 8)
        let huge = HEIFBuilder.number(1) + Data("abcd".utf8) + HEIFBuilder.number(.max, 8)
        for data in [short, shortLarge, box("abcd") + huge, Data(count: 7), box("abcd") + Data([0])] {
            #expect(throws: Self.size) {
                var reader = reading(data)
                _ = try reader.boxes(in: 0..<data.count)
            }
        }
        let parent = box("abcd", Data(count: 4))
        #expect(throws: Self.size) {
            var reader = reading(parent)
            _ = try reader.boxes(in: 0..<11)
        }
        // A file ends at an invalid header.
        var reader = reading(box("abcd") + short)
        #expect(try reader.fileBoxes().map(\.name) == ["abcd"])
    }

    @Test("a file has up to 10,000 boxes")
    func count() throws {
        let many = Data(repeatElement(box("abcd"), count: 10_001).joined())
        var reader = reading(many)
        #expect(try reader.boxes(in: 0..<80_000).count == 10_000)
        #expect(throws: ImageDecodingError.malformed(.heic, "too many boxes, items or references")) {
            _ = try reader.boxes(in: 80_000..<80_008)
        }
        #expect(throws: ImageDecodingError.malformed(.heic, "too many boxes, items or references")) {
            var reader = reading(many)
            _ = try reader.fileBoxes()
        }
    }

    @Test("fields are read in order, up to the end of their box")
    func fields() throws {
        let data = Data([9, 2, 0, 0, 5, 1, 2]) + Data("abcdtext\0".utf8) + Data([7, 7])
        var fields = reading(data).fields(in: 1..<16)
        try fields.readVersion()
        #expect(fields.version == 2)
        #expect(try fields.integer(0) == 0)
        #expect(try fields.integer(2) == 0x0102)
        #expect(try fields.name() == "abcd")
        #expect(fields.rest == 11..<16)
        #expect(try fields.text() == "text")
        #expect(throws: Self.early) { _ = try fields.integer(1) }
        #expect(throws: Self.early) { _ = try fields.bytes(1) }
        #expect(try fields.bytes(0) == Data())
    }

    @Test("a text ends within 100 bytes, and is empty otherwise")
    func texts() throws {
        for (length, found) in [(99, 99), (100, 0)] {
            let data = Data(repeating: 0x61, count: length) + [0]
            var fields = reading(data).fields(in: 0..<data.count)
            #expect(try fields.text().count == found)
        }
    }

    @Test("boxes of a name are found in all parents")
    func named() throws {
        let data = box("a   ", box("sub ") + box("else")) + box("b   ", box("sub "))
        var reader = reading(data)
        let parents = try reader.fileBoxes()
        #expect(try reader.boxes(in: parents, named: "sub ").map(\.offset) == [8, 32])
    }

    /// Returns the parts of a track with a duration, and an edit list.
    private func track(
        _ duration: Int, segment: Int, flags: Int = 1, version: Int = 0
    ) throws -> (BoxReader, parts: [Box]) {
        let (start, length) = (HEIFBuilder.number(version << 24 | flags), version == 1 ? 8 : 4)
        let times = Data(count: (version == 1 ? 16 : 8) + 8)
        let edits = start + HEIFBuilder.number(1) + HEIFBuilder.number(segment, length) + Data(count: 8)
        let data = box("tkhd", start + times + HEIFBuilder.number(duration, length)) + box("edts", box("elst", edits))
        var reader = reading(data)
        let parts = try reader.fileBoxes()
        return (reader, parts)
    }

    @Test("a track is played as often as its edit list fits into it, or forever", arguments: 0...1)
    func loops(version: Int) throws {
        func count(_ duration: Int, _ segment: Int, flags: Int = 1) throws -> Int {
            let (file, parts) = try track(duration, segment: segment, flags: flags, version: version)
            var reader = file
            return try reader.loopCount(ofTrack: parts)
        }
        #expect(try count(30, 10) == 3)
        #expect(try count(31, 10) == 4)
        #expect(try count(0, 10) == 1)
        #expect(try count(30, 10, flags: 0) == 1)
        #expect(try count(30, 10, flags: 2) == 1)
        #expect(try count(30, 0) == 0)
        let unknown = version == 1 ? -1 : 0xFFFF_FFFF
        #expect(try count(unknown, 10) == 0)
        #expect(try count(30, unknown) == 0)
        if version == 1 {
            #expect(try count(3 << 40, 1 << 40) == 3)
            #expect(try count(Int(Int32.max), 1) == Int(Int32.max))
            #expect(try count(Int(Int32.max) + 1, 1) == 0)
        }
    }

    @Test("a track without an edit list or a header is played forever")
    func noEdits() throws {
        let (file, parts) = try track(30, segment: 10)
        var reader = file
        #expect(try reader.loopCount(ofTrack: [parts[0]]) == 0)
        #expect(try reader.loopCount(ofTrack: [parts[1]]) == 0)
    }

    @Test("a delay is exact, and without a timescale that of no time")
    func delays() {
        #expect(Duration.shown(1, timescale: 3).components.attoseconds == 333_333_333_333_333_333)
        #expect(Duration.shown(7, timescale: 2) == .milliseconds(3_500))
        #expect(Duration.shown(5, timescale: 0) == Duration.shown(0, timescale: 1))
    }
}
