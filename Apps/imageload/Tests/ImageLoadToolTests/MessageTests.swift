import Foundation
import GeneratedImages
import ImageCore
import Testing

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
}
