import Foundation
import GeneratedImages
import ImageCore
import ImageMetadata
import ImageObserving
import Testing

@testable import ImageLoadTool

/// Checks that only the tool itself writes messages, not the libraries that decode.
@Suite("Messages of the tool about files", .timeLimit(.minutes(5)))
final class MessageTests {
    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    private func decode(_ data: Data) async throws -> BuiltTool.Run {
        let file = tool.folder.appending(path: "image")
        try data.write(to: file)
        return try await tool.run(["decode", file.path, "--json"])
    }

    @Test("a decoded file writes no message, in each format")
    func success() async throws {
        for image in try GeneratedImage.all() {
            let run = try await decode(image.data)
            #expect(run.status == 0 && run.errors.isEmpty, "\(image): \(run.errors)")
        }
    }

    @Test("a refused file writes one line, in each format")
    func refusal() async throws {
        var counts: [ImageFormat: Int] = [:]
        for image in try GeneratedImage.all() where counts[image.format, default: 0] < 3 {
            counts[image.format, default: 0] += 1
            for part in stride(from: 1, through: 8, by: 2) {
                var damaged = image.data
                for index in stride(from: damaged.count * part / 10, to: damaged.count, by: 5) {
                    damaged[index] ^= 0x5A
                }
                for data in [image.data.prefix(image.data.count * part / 9), damaged] {
                    let run = try await decode(data)
                    #expect(run.errors.count == (run.status == 0 ? 0 : 1), "\(image), \(part): \(run.errors)")
                    #expect(run.errors.allSatisfy { $0.hasPrefix("imageload: ") })
                    #expect(run.output.isEmpty == (run.status != 0))
                }
            }
        }
    }

    @Test("a failed encoding advises a smaller size only if the size is the reason")
    func encodingAdvice() {
        let failures: [(ImageEncodingError, advisesSize: Bool)] = [
            (.unsupportedSize(.webP, PixelSize(width: 16_384, height: 2)), true), (.failed(.webP, "reason"), false),
        ]
        for (failure, advisesSize) in failures {
            let line = ToolFailure(failure, subject: "a.webp").line
            #expect(line.contains("a smaller --size") == advisesSize, "\(line)")
            #expect(line.hasSuffix("another format."))
        }
    }

    @Test("names of files and Exif texts reach no terminal with what it obeys, as text, as JSON and as messages")
    func controls() async throws {
        let name = "a\u{1B}]0;x\u{07}\u{9B}31m\u{2028}\u{202E}\n\u{85}b"
        let file = try tool.write(.gradient, to: "\(name).jpg")
        let make =
            Data("MM\u{0}*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x0F, 0, 2, 0, 0, 0, 4, 0x1B, 0xC2, 0x9B, 0, 0, 0, 0, 0]
        try EmbeddedMetadata(exif: make).embedded(in: Data(contentsOf: file)).write(to: file)
        let (path, cache) = (file.path, ["--cache", tool.folder.path + "/\(name)"])
        let commands = [
            ["info", path], ["decode", path], ["fetch", path] + cache, ["thumbhash", path, path],
            ["optimize", path, "--dry-run"],
            ["preview", path, path, "--graphics", "ascii"], ["convert", path, "--output", path + "2/"],
            ["compare", path, path + "!"], ["info", path + "!"], ["fetch", path + "!"] + cache, [name],
            ["cache", "status"] + cache, ["bench", "decode", path, "--iterations", "1"], ["fetch", "--\(name)"],
        ]
        for command in commands {
            for json in command.first == name ? [[]] : [[], ["--json"]] {
                let run = try await tool.run(command + json)
                let text = run.output + run.errors.joined(separator: "\n")
                #expect(
                    !text.isEmpty && !text.unicodeScalars.contains { String.isControl($0) && $0 != "\n" }, "\(command)")
            }
        }
        let report = try object(await tool.run(["info", path, "--json"]).output)
        #expect(report["file"] as? String == path)
        #expect((report["camera"] as? [String: Any])?["make"] as? String == "\u{1B}\u{9B}")
    }
}
