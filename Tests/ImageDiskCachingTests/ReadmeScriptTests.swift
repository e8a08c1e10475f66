import CommandRunning
import Foundation
import ImageCore
import ImageDiskCaching
import Testing

@Suite("The script in the README")
struct ReadmeScriptTests {
    private let folder = TestFolder()

    /// Returns the Python script of the README of ImageDiskCaching.
    private func script() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Packages/ImageDiskCaching/README.md")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```python\n")
        return try #require(parts.last?.components(separatedBy: "```").first)
    }

    private func check(_ number: Int) async throws -> CommandResult {
        try await CommandResult.run(
            "/usr/bin/env", ["python3", "-c", try script(), folder.path, key(number).identifier])
    }

    @Test("it accepts entries of any length", arguments: [0, 1, 7, 8, 150, 4_096, 20_001, 200_000])
    func intact(count: Int) async throws {
        try await folder.cache().store(entry(count), for: key(1))
        let result = try await check(1)
        #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
        #expect(String(decoding: result.output, as: UTF8.self) == "\(count) bytes of \(key(1).identifier)\n")
    }

    @Test("it rejects an entry with any damaged part, and a truncated one")
    func damaged() async throws {
        try await folder.cache().store(entry(9_000), for: key(1))
        let original = try Data(contentsOf: folder.file(key(1)))
        for position in [0, 5_000, 9_010, original.count - 40, original.count - 1] {
            var altered = original
            altered[position] ^= 0x10
            try altered.write(to: folder.file(key(1)))
            #expect(try await check(1).status == 1, "altered at \(position)")
        }
        try original.dropLast(8).write(to: folder.file(key(1)))
        #expect(try await check(1).status == 1)
    }
}
