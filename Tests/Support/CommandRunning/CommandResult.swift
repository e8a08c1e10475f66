public import Foundation
import Subprocess

#if canImport(System)
    import Darwin
    import System
#else
    import Glibc
    import SystemPackage
#endif

/// The output and exit status of a command.
public struct CommandResult: Sendable {
    /// The exit code, or the negated number of the signal that ended the command.
    public var status: Int32
    /// The bytes of the standard output.
    public var output: Data
    /// The bytes of the standard error.
    public var errors: Data

    /// Runs a command and waits until it ends.
    ///
    /// Doesn't use Foundation's `Process`, which crashes on Linux if the process has more than 1,024 open files.
    ///
    /// - Parameters:
    ///   - path: The path of the executable.
    ///   - arguments: The arguments, without the name of the executable.
    ///   - folder: The working directory, or `nil` for that of this process.
    ///   - input: The standard input of the command, which need not read it.
    /// - Throws: An error if the command can't be started, or writes more than 64 MiB.
    public static func run(
        _ path: String, _ arguments: [String], in folder: String? = nil, input: Data = Data()
    ) async throws -> CommandResult {
        let limit = 64 << 20
        // Otherwise input for a command that has ended would end this process.
        signal(SIGPIPE, SIG_IGN)
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: Arguments(arguments), workingDirectory: folder.map { FilePath($0) },
            input: CommandInput(data: input), output: .data(limit: limit), error: .data(limit: limit))
        let status =
            switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): -signal
            }
        return CommandResult(status: status, output: result.standardOutput, errors: result.standardError)
    }
}

private struct CommandInput: InputProtocol {
    let data: Data

    func write(with writer: StandardInputWriter) async throws {
        do {
            _ = try await writer.write(Array(data))
        } catch  where error.code == .failedToWriteToSubprocess {
            // The command has ended without reading it.
        }
    }
}
