import Foundation
import Testing

/// The tool that was built, and a folder to run it in that goes with this value.
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
            Issue.record("the test's folder stays: \(error)")
        }
    }

    /// Runs it as a person would: arguments and standard input in, exit code, standard output and standard error out.
    func run(_ arguments: [String], input: String = "") async throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "imageload")
        process.arguments = arguments
        let files = ["in", "out", "err"].map { folder.appending(path: "\(UUID().uuidString).\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { process in
                let isExit = process.terminationReason == .exit
                continuation.resume(returning: isExit ? process.terminationStatus : -process.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Run(
            status: status, output: try String(contentsOf: files[1], encoding: .utf8),
            errors: try String(contentsOf: files[2], encoding: .utf8).split(separator: "\n"))
    }
}
