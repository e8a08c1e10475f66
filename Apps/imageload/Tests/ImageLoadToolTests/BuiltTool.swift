import CommandRunning
import Foundation
import Testing

/// The built tool, and a working folder that is removed with this object.
final class BuiltTool: Sendable {
    struct Run {
        var status: Int32
        var output: String
        var errors: [Substring]
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

    /// Runs the tool as a process with arguments and standard input. Returns its exit code, standard output and error.
    func run(_ arguments: [String], input: String = "") async throws -> Run {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "imageload")
        let result = try await CommandResult.run(program.path, arguments, input: Data(input.utf8))
        return Run(
            status: result.status, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self).split(separator: "\n"))
    }
}
