import CAllocator
import Foundation
import ImageCore
import ImageLoaderKit
import ImageServerKit
import ImageServing
import Logging
import ServiceLifecycle
import UnixSignals

/// Starts the server with the settings of flags, environment and file.
@main
enum ImageServerCommand {
    static func main() async throws {
        return_freed_memory()
        CodecWorker.runIfAsked()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if !Set(arguments).isDisjoint(with: ["--help", "-h"]) {
            print(Settings.help)
            return
        }
        if arguments.contains("--version") {
            print(ImageLoader.version)
            return
        }
        if arguments.first == "--update-tables", arguments.count == 2 { return try updateTables(arguments[1]) }
        do {
            if arguments.first == "health" { return try await checkHealth(Array(arguments.dropFirst())) }
            try await run(arguments)
        } catch let failure as SettingsFailure {
            fail("\(failure)\nTry --help.", status: 64)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// Writes the tables of the code into the README. For `Apps/ImageServer/Scripts/document` only.
    private static func updateTables(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try ReferenceTables.updated(text).write(toFile: path, atomically: true, encoding: .utf8)
        print("updated \(path)")
    }

    /// Returns if the server with these settings is ready, for the health check of a container.
    private static func checkHealth(_ arguments: [String]) async throws {
        let settings = try await ServerSettings(
            arguments: arguments, environment: ProcessInfo.processInfo.environment, coreCount: 1)
        try await HealthCheck.run(settings)
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("image-server: \(message)\n".utf8))
        exit(status)
    }

    /// Open files for origins, caches and the process itself.
    private static let reservedFiles = 512

    private static func run(_ arguments: [String]) async throws {
        var settings = try await ServerSettings(
            arguments: arguments, environment: ProcessInfo.processInfo.environment,
            coreCount: ProcessInfo.processInfo.activeProcessorCount)
        let output = LogOutput(
            now: { Date() },
            // There is no other place to report to.
            write: { bytes in try? FileHandle.standardError.write(contentsOf: bytes) })
        defer { output.flush() }
        LoggingSystem.bootstrap(
            { [format = settings.logFormat] label, provider in
                var handler = LineLogHandler(label: label, format: format, output: output)
                handler.metadataProvider = provider
                return handler
            }, metadataProvider: .trace)
        var logger = Logger(label: "image-server")
        logger.logLevel = settings.logLevel
        let ignored = ImgproxyVariables.unknown(in: ProcessInfo.processInfo.environment)
        if !ignored.isEmpty {
            logger.warning("variables of imgproxy have no counterpart", metadata: ["names": "\(ignored)"])
        }
        if let files = OpenFileLimit.raise(), settings.maxConnections > files - reservedFiles {
            settings.maxConnections = max(1, files - reservedFiles)
            logger.warning(
                "the limit of open files is low", metadata: ["maxConnections": "\(settings.maxConnections)"])
        }
        try await settings.checkKeys()
        let server = try ImageServer(settings, logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [server, PresetReloading(server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(settings.shutdownSeconds)
        try await ServiceGroup(configuration: configuration).run()
    }
}
