import Foundation
import Testing

@testable import EvictionStudy

@Suite("Reading traces")
struct TraceReaderTests {
    private static let accesses = [
        Trace.Access(key: 0, size: 10), Trace.Access(key: 1, size: 200), Trace.Access(key: 0, size: 10),
    ]

    @Test("a line with only a key is an access of size 1")
    func keys() throws {
        let trace = try read("https://a.example/1\n17\nhttps://a.example/1\r\n", as: "web.txt")
        #expect(trace.name == "web")
        #expect(trace.accesses.map(\.key) == [0, 1, 0])
        #expect(trace.accesses.allSatisfy { $0.size == 1 })
        #expect((trace.distinctCount, trace.distinctBytes, trace.hasSizes) == (2, 2, false))
    }

    @Test("a line can have a key and a size")
    func sizes() throws {
        let trace = try read("a 10\nb 200\na 10\n", as: "own-1.1.txt")
        #expect(trace.name == "own-1.1")
        #expect(trace.accesses == Self.accesses)
        #expect((trace.distinctCount, trace.distinctBytes, trace.hasSizes) == (2, 210, true))
    }

    @Test("a text trace can be gzip-compressed")
    func gzipped() throws {
        let bytes: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 75, 84, 48, 52, 224, 74, 82, 48, 50, 48, 224, 74, 4, 49, 1, 236, 121,
            141, 253, 16, 0, 0, 0,
        ]
        #expect(try read(bytes, as: "a.txt.gz").accesses == Self.accesses)
        #expect(throws: TraceFailure.self) { try read(bytes.dropLast(9), as: "a.txt.gz") }
    }

    @Test(
        "an invalid trace is rejected with its position",
        arguments: ["a 10\na ten\n", "a 10\na 10 4\n", "a 10\na -1\n"])
    func malformed(_ text: String) {
        #expect(throws: TraceFailure.malformedLine(2, in: "c.txt")) { try read(text, as: "c.txt") }
    }

    @Test("an empty file and a missing file are rejected")
    func nothing() {
        #expect(throws: TraceFailure.empty("d.txt")) { try read("", as: "d.txt") }
        #expect(throws: TraceFailure.unreadable("/nowhere/a.txt")) {
            try TraceReader.traces(at: URL(filePath: "/nowhere/a.txt"))
        }
    }

    @Test("the traces of a folder are sorted by file name, and other files are ignored")
    func folder() throws {
        let names = try inFolder { folder in
            for name in ["b.txt", "a.txt", "readme.md"] {
                try Data("1\n2\n".utf8).write(to: folder.appending(path: name))
            }
            return try TraceReader.traces(at: folder).map(\.name)
        }
        #expect(names == ["a", "b"])
    }

    private func read(_ text: String, as name: String) throws -> Trace { try read(Array(text.utf8), as: name) }

    private func read(_ bytes: some Sequence<UInt8>, as name: String) throws -> Trace {
        try inFolder { folder in
            let file = folder.appending(path: name)
            try Data(bytes).write(to: file)
            return try TraceReader.trace(at: file)
        }
    }

    private func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "traces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result = Result { try body(folder) }
        try FileManager.default.removeItem(at: folder)
        return try result.get()
    }
}
