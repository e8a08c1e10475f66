import ArgumentParser
import Foundation
import ImageLoaderKit

/// The `imageload` command. Parses the command line, runs a subcommand, and reports an error as one line and an exit
/// code.
public enum ImageLoadCommand {
    /// Runs the tool with the arguments of the process, and exits.
    public static func run() async {
        await run(Array(CommandLine.arguments.dropFirst()))
    }

    static func run(_ arguments: [String]) async -> Never {
        var isJSON = false
        do {
            try RootCommand.checkNames(arguments)
            var command = try RootCommand.parseAsRoot(arguments)
            // The output of probes is empty after a failure.
            isJSON = arguments.contains("--json") && type(of: command).configuration.shouldDisplay
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch {
            exit(report(error, isJSON: isJSON))
        }
    }

    /// Prints the error and returns the status to exit with.
    private static func report(_ error: any Error, isJSON: Bool) -> Int32 {
        if let failure = error as? ToolFailure {
            Console.error(failure.line)
            if isJSON, let object = try? ["status": "failed", "error": failure.line].json() { Console.output(object) }
            return failure.status.rawValue
        }
        if let status = error as? ExitCode { return status.rawValue }
        switch RootCommand.exitCode(for: error) {
        case .success:  // --help, --version
            Console.output(RootCommand.fullMessage(for: error).components(separatedBy: "\n"))
            return 0
        case let status:
            Console.error(usageLine(error))
            return status.rawValue
        }
    }

    /// Describes a wrong command line: what is wrong, the help of the option that it is about, and where there is more.
    static func usageLine(_ error: any Error) -> String {
        let problem = RootCommand.message(for: error).split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix("  - ") }.joined(separator: ", ").replacing(":, ", with: ": ")
        let lines = RootCommand.fullMessage(for: error).split(whereSeparator: \.isNewline)
        // The help of an option is "Help:  --name <name>  Text".
        let help = lines.first { $0.hasPrefix("Help:") }?.split(separator: "  ", maxSplits: 2).last
        let reference = lines.last?.firstMatch(of: /See '.*'/)?.output ?? "See 'imageload --help'"
        let sentences = [Substring(problem), help, reference].compactMap(\.self)
        return sentences.map { $0.hasSuffix(".") || $0.hasSuffix("?") ? "\($0)" : "\($0)." }.joined(separator: " ")
    }
}

extension ParsableCommand {
    /// Throws if the arguments begin with the name of no subcommand. ArgumentParser calls it an unexpected argument.
    static func checkNames(_ arguments: [String]) throws(ToolFailure) {
        guard let name = arguments.first, !configuration.subcommands.isEmpty, !name.hasPrefix("-") else { return }
        if let command = configuration.subcommands.first(where: { $0._commandName == name }) {
            return try command.checkNames(Array(arguments.dropFirst()))
        }
        if name == "help" { return }
        let names = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let near = names.map { ($0, $0.difference(from: name).count) }.min { $0.1 < $1.1 }
        let advice = near.flatMap { $0.1 <= 1 + $0.0.count / 2 ? " Did you mean '\($0.0)'?" : nil } ?? ""
        throw ToolFailure(
            status: .usage, line: "unknown command '\(name)'.\(advice) See '\(RootCommand._commandName) --help'.")
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
              130  ended by Ctrl-C, which leaves complete files only
            If several files fail, the code is that of the first in the order given.

            ENVIRONMENT
              NO_COLOR        preview without colors
              XDG_CACHE_HOME  the parent folder of the disk cache. Default: ~/.cache
            """,
        version: ImageLoader.version,
        subcommands: [
            ConvertCommand.self, OptimizeCommand.self, InfoCommand.self, CompareCommand.self, PreviewCommand.self,
            FetchCommand.self, SheetCommand.self, ExplainCommand.self, CacheCommand.self, ThumbHashCommand.self,
            // Probes for tests and measurements, which the help doesn't show.
            DecodeCommand.self, BenchCommand.self, HTTPCacheProbeCommand.self,
        ])
}
