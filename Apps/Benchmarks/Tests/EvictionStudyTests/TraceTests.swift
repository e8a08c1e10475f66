import Foundation
import Testing

@testable import EvictionStudy

@Suite("Reading traces")
struct TraceTests {
    @Test("a line with only a key is an access of size 1")
    func keys() throws {
        let trace = try #require(try read("https://a.example/1\n17\nhttps://a.example/1\r\n", as: "web.txt").first)
        #expect(trace.name == "web" && !trace.hasSizes)
        #expect(trace.accesses.map(\.key) == [0, 1, 0] && trace.sizes == [1, 1])
    }

    @Test("a line can have a key and a size")
    func sizes() throws {
        let trace = try #require(try read("a 10\nb 200\na 10\n", as: "own-1.1.txt").first)
        #expect(trace.name == "own-1.1" && trace.hasSizes)
        #expect(trace.accesses.map(\.size) == [10, 200, 10] && trace.sizes == [10, 200])
    }

    @Test("a trace can be gzip-compressed, and a damaged one is rejected")
    func gzipped() throws {
        let bytes: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 75, 84, 48, 52, 224, 74, 82, 48, 50, 48, 224, 74, 4, 49, 1, 236, 121,
            141, 253, 16, 0, 0, 0,
        ]
        #expect(try read(bytes, as: "a.txt.gz").first?.sizes == [10, 200])
        #expect(throws: CocoaError.self) { try read(bytes.dropLast(9), as: "a.txt.gz") }
    }

    @Test(
        "an invalid trace is rejected with its position",
        arguments: ["a 10\na ten\n", "a 10\na 10 4\n", "a 10\na -1\n"])
    func malformed(_ text: String) {
        #expect(throws: TraceFailure.malformedLine(2, in: "c.txt")) { try read(text, as: "c.txt") }
        #expect(throws: TraceFailure.empty("d.txt")) { try read("", as: "d.txt") }
    }

    private func read(_ text: String, as name: String) throws -> [Trace] { try read(Array(text.utf8), as: name) }

    /// Reads a folder with this file and one that is no trace.
    private func read(_ bytes: some Sequence<UInt8>, as name: String) throws -> [Trace] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "traces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in [name, "readme.md"] { try Data(bytes).write(to: folder.appending(path: file)) }
        return try Trace.read(at: folder)
    }
}
