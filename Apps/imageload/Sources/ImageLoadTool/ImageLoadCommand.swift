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
        abstract: "Convert, inspect, load and cache images.",
        discussion: """
            EXIT CODES
              0    success
              64   invalid command line or URL
              65   not a decodable image, or damage that could not be repaired
              66   no such file, or the server has no such image
              69   the network or the server failed, or not cached and --offline
              70   any other failure
              74   reading or writing files failed
              100  the image exceeds a limit
            If several files fail, the code is that of the first. A signal ends the program by itself, and leaves complete \
            files only.

            ENVIRONMENT
              NO_COLOR        preview without colors
              XDG_CACHE_HOME  the folder of swift-image-loading, the disk cache. Default: ~/.cache
            """,
        version: PackageVersion.current,
        subcommands: [
            FetchCommand.self, ConvertCommand.self, OptimizeCommand.self, InfoCommand.self, CompareCommand.self,
            PreviewCommand.self,
            ExplainCommand.self,
            SheetCommand.self, ThumbHashCommand.self, CacheCommand.self,
            // Probes for tests and measurements, which the help doesn't show.
            DecodeCommand.self, PreviewsCommand.self, BenchCommand.self, HTTPCacheProbeCommand.self,
        ])
}
