import CommandRunning
import Foundation
import ImageCore
import ImageLoaderKit
import Testing

/// The built tool, and a working folder that is removed with this object.
final class BuiltTool: Sendable {
    struct Run {
        var status: Int32
        var output: String
        var errors: [Substring]

        init(_ result: CommandResult) {
            status = result.status
            output = String(decoding: result.output, as: UTF8.self)
            errors = String(decoding: result.errors, as: UTF8.self).split(separator: "\n")
        }
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "imageload-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record("can't remove the test's folder: \(error)")
        }
    }

    /// Runs the tool with bytes as standard input, and returns its standard output. Expects success.
    func runData(_ arguments: [String], input: Data) async throws -> Data {
        let result = try await CommandResult.run(Self.program, arguments, input: input)
        #expect(result.status == 0)
        return result.output
    }

    /// The path of the tool, which is built into the folder of the tests.
    static var program: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "imageload").path
    }

    /// Runs the tool from a shell.
    ///
    /// - Parameters:
    ///   - shell: Commands that run before.
    ///   - prefix: A command that runs the tool.
    func run(_ arguments: [String], shell: String, prefix: [String] = []) async throws -> Run {
        let script = (shell.isEmpty ? "" : shell + "\n") + "exec \"$@\""
        let result = try await CommandResult.run(
            "/bin/bash", ["-c", script, "bash"] + prefix + [Self.program] + arguments, input: Data())
        return Run(result)
    }

    /// Runs the tool as a process with arguments and standard input. Returns its exit code, standard output and error.
    func run(_ arguments: [String], input: String = "") async throws -> Run {
        let result = try await CommandResult.run(Self.program, arguments, input: Data(input.utf8))
        return Run(result)
    }
}

/// Returns a line of JSON.
func object(_ text: some StringProtocol) throws -> [String: Any] {
    #expect(!text.dropLast().contains("\n"))
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

/// An image that tests write to files.
enum TestImage {
    /// A gradient of 40 by 30 pixels.
    case gradient
    /// 40 by 30 pixels, the upper half of which is transparent.
    case transparent
    /// Three frames of 40 by 30 pixels that play twice, with delays of 120, 80 and 200 ms.
    case animation

    private var alpha: UInt8 { self == .transparent ? 0 : 255 }

    func bitmap(brightness: UInt8 = 0) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<30 {
            for x in 0..<40 { pixels += [UInt8(x * 6), UInt8(y * 8), 90 + brightness, y < 15 ? alpha : 255] }
        }
        return Bitmap(size: PixelSize(width: 40, height: 30), pixels: pixels, isOpaque: alpha == 255)
    }
}

extension BuiltTool {
    /// Writes an image to a file in the folder, by default in the format of its extension.
    @discardableResult
    func write(_ image: TestImage, to name: String, format: ImageFormat? = nil) throws -> URL {
        let file = folder.appending(path: name)
        let format = format ?? ImageFormat(rawValue: file.pathExtension == "jpg" ? "jpeg" : file.pathExtension)
        let encoder = try #require([any ImageEncoder].standard.encoder(for: format))
        let options = EncodingOptions(isLossless: true)
        var frames = [AnimationFrame(bitmap: image.bitmap(), delay: .milliseconds(120))]
        if image == .animation {
            frames.append(AnimationFrame(bitmap: image.bitmap(brightness: 60), delay: .milliseconds(80)))
            frames.append(AnimationFrame(bitmap: image.bitmap(brightness: 120), delay: .milliseconds(200)))
        }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(frames, loopCount: image == .animation ? 2 : 1, options: options).write(to: file)
        return file
    }
}
