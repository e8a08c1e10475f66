import ArgumentParser
import Foundation
import ImageCore

/// The `imageload` command. Parses the command line, runs a subcommand, and reports an error as one line and an exit code.
public enum ImageLoadCommand {
    /// Runs the tool with the arguments of the process, and exits.
    public static func run() async {
        await run(Array(CommandLine.arguments.dropFirst()))
    }

    static func run(_ arguments: [String]) async -> Never {
        do {
            var command = try RootCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch {
            exit(report(error))
        }
    }

    /// Prints the error and returns the status to exit with.
    private static func report(_ error: any Error) -> Int32 {
        if let failure = error as? ToolFailure {
            Console.error(failure.line)
            return failure.status.rawValue
        }
        if let status = error as? ExitCode { return status.rawValue }
        switch RootCommand.exitCode(for: error) {
        case .success:  // --help, --version
            Console.output(RootCommand.fullMessage(for: error))
            return 0
        case let status:
            let message = RootCommand.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
            Console.error("\(message). See 'imageload help'.")
            return status == .validationFailure ? ToolStatus.usage.rawValue : status.rawValue
        }
    }
}

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imageload",
        abstract: "Load, decode and cache images.",
        version: PackageVersion.current,
        subcommands: [
            FetchCommand.self, SheetCommand.self, DecodeCommand.self, PreviewsCommand.self, ThumbHashCommand.self,
            BenchCommand.self,
            CacheCommand.self, HTTPCacheProbeCommand.self,
        ])
}
