import ArgumentParser
import Foundation
import ImageCore
import ImageLoading
import Synchronization

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Load images and print the source and time of each.")

    @OptionGroup var options: LoadingOptions

    @Option(help: "The folder to write the images to.")
    var output: String?

    @Option(
        help:
            "The format to write: png, jpeg, webp, auto (JPEG for photographs, else PNG) or original. Default: png with --size, else original."
    )
    var format: OutputFormat?

    func validate() throws {
        if format != nil, output == nil { throw ValidationError("--format needs --output") }
        if format == .original, options.size != nil {
            throw ValidationError("--format original can't be resized: omit --size or choose another --format")
        }
    }

    func run() async throws {
        let session = try LoadSession(options)
        let writer = try output.map {
            try ImageWriter(
                folder: $0, format: format ?? (options.size == nil ? .original : .png), addresses: session.addresses)
        }
        try await session.run { loader, item, request, onProgress in
            if let writer, writer.format == .original {
                return try await writer.writeOriginal(item, request, from: loader, onProgress)
            }
            let loaded = try await loader.image(for: request, onProgress: onProgress)
            try await writer?.write(loaded.image.bitmap, for: item)
            return LoadReport.OutputImage(loaded)
        }
    }
}

extension LoadReport.OutputImage {
    init(_ loaded: LoadedImage) {
        self.init(
            source: loaded.source, format: loaded.image.header.format, size: loaded.image.bitmap.size,
            frames: loaded.image.header.frameCount, bytes: loaded.encodedByteCount)
    }
}

/// One run of a loading subcommand. Loads all images `--repeat` times, reports each, and prints a table at the end.
struct LoadSession {
    typealias Load =
        @Sendable (
            _ loader: ImageLoader, _ item: LoadRunner.Item, _ request: ImageRequest,
            _ onProgress: @escaping @Sendable (WorkProgress) -> Void
        ) async throws -> LoadReport.OutputImage

    let options: LoadingOptions
    private let loader: ImageLoader
    private let diskFailures = DiskFailureRecorder()
    let addresses: [String]

    init(_ options: LoadingOptions) throws {
        self.options = options
        loader = options.makeLoader(observer: diskFailures)
        addresses = options.addresses()
        if addresses.isEmpty { throw ValidationError("no URLs on standard input") }
    }

    /// Loads and reports everything, then throws the exit code of the first failure, if any.
    func run(_ load: @escaping Load) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var reports: [LoadReport] = []
        for _ in 0..<options.repeat {
            let passStart = clock.now
            let passReports = try await pass(load)
            if options.summary {
                Console.output(LoadSummary(reports: passReports, elapsed: clock.now - passStart).line)
            }
            reports += passReports
        }
        if !options.json, !options.summary, addresses.count > 1 || options.repeat > 1 {
            Console.output(LoadSummary(reports: reports, elapsed: clock.now - start).table)
        }
        if let failure = diskFailures.failure {
            Console.error(
                ToolFailure(failure, folder: CacheFolder.url(options.cache).path).line + " Continuing without it.")
        }
        if let failure = reports.lazy.compactMap(\.failure).first { throw ExitCode(failure.status.rawValue) }
    }

    private func pass(_ load: @escaping Load) async throws -> [LoadReport] {
        let display = ProgressDisplay(isInteractive: Console.isInteractive && !options.json, total: addresses.count)
        let loader = loader
        let runner = LoadRunner(width: options.concurrency + 2, display: display) { item, request, onProgress in
            try await load(loader, item, request, onProgress)
        }
        let isInteractive = Console.isInteractive && !options.json
        let reports = try await runner.run(items) { report in
            if !isInteractive { try output(report) }
        }
        display.close()
        if isInteractive { for report in reports { try output(report) } }
        return reports
    }

    private var items: [LoadRunner.Item] {
        addresses.enumerated().map { index, address in
            LoadRunner.Item(
                index: index, address: address,
                request: Result { () throws(ToolFailure) in options.request(for: try LoadingOptions.url(for: address)) }
            )
        }
    }

    private func output(_ report: LoadReport) throws {
        if let failure = report.failure { Console.error(failure.line) }
        if options.json {
            Console.output(try report.json())
        } else if !options.summary, let line = report.line {
            Console.output(line)
        }
    }
}

/// Records the first failure of the disk cache, which doesn't fail the loader's requests.
private final class DiskFailureRecorder: ImageLoaderObserver {
    private let first = Mutex<DataCacheFailure?>(nil)

    var failure: DataCacheFailure? { first.withLock { $0 } }

    func handle(_ event: ImageLoadEvent) {
        guard case .diskFailed(let failure) = event.kind else { return }
        first.withLock { if $0 == nil { $0 = failure } }
    }
}
