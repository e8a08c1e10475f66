import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import Synchronization

/// One run of a loading subcommand. Loads all images `--repeat` times, reports each, and prints a line at the end.
struct LoadSession {
    /// An address of the list, and its request or the error of parsing it.
    struct Item: Sendable {
        var index: Int
        var address: String
        var request: Result<ImageRequest, ToolFailure>
    }

    typealias Load =
        @Sendable (
            _ loader: ImageLoader, _ item: Item, _ request: ImageRequest,
            _ onProgress: @escaping @Sendable (WorkProgress) -> Void
        ) async throws -> LoadReport.OutputImage

    let options: LoadingOptions
    private let loader: ImageLoader
    /// The loader's decoder, with its limits and in its workers.
    let decoder: any SizedImageDecoder
    private let recorder: EventRecorder
    let addresses: [String]
    private let isInteractive: Bool

    /// - Parameter trace: The path of the file that receives the times of all requests; nil for none.
    init(_ options: LoadingOptions, trace: String? = nil) throws {
        self.options = options
        recorder = EventRecorder(trace: trace)
        let parts = options.loaderOptions(recorder).makeParts()
        loader = ImageLoader(parts)
        decoder = parts.decoder
        addresses = options.addresses()
        isInteractive = Console.isInteractive && !options.printing.json && !options.printing.quiet
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
        if !options.printing.json, !options.printing.quiet, !options.summary, addresses.count > 1 || options.repeat > 1
        {
            Console.output(LoadSummary(reports: reports, elapsed: clock.now - start).line)
        }
        try recorder.writeTrace()
        if let failure = recorder.diskFailure {
            Console.error(
                ToolFailure(failure, folder: CacheFolder.url(options.cache).path).line + " Continuing without it.")
        }
        if let failure = reports.lazy.compactMap(\.failure).first { throw ExitCode(failure.status.rawValue) }
    }

    /// Loads all images, of each server a few more at a time than there are downloads. Outputs each report as soon as
    /// it and all previous ones are available.
    private func pass(_ load: @escaping Load) async throws -> [LoadReport] {
        let display = ProgressDisplay(isInteractive: isInteractive, total: addresses.count)
        let (loader, decoder) = (loader, decoder)
        return try await display.whileDrawing {
            try await withThrowingTaskGroup(of: (Int, LoadReport).self) { group in
                var window = ServerWindow(addresses, limit: options.concurrency + 2)
                var done: [Int: LoadReport] = [:]
                var reports: [LoadReport] = []
                var failures = 0
                func start(_ index: Int) {
                    let item = item(index)
                    group.addTask {
                        let report = await Self.report(item, display) { request, onProgress in
                            do {
                                return try await load(loader, item, request, onProgress)
                            } catch ImageError.decoding(let failure) {
                                throw await Self.explained(failure, item, request, loader, decoder)
                            }
                        }
                        return (index, report)
                    }
                }
                for index in window.first() { start(index) }
                while let (index, report) = try await group.next() {
                    if let next = window.next(after: index) { start(next) }
                    done[index] = report
                    while let next = done.removeValue(forKey: reports.count) {
                        try display.interrupt { try output(next) }
                        reports.append(next)
                    }
                    failures += report.failure == nil ? 0 : 1
                    display.finished(index, summary: "\(failures) failed")
                }
                return reports
            }
        }
    }

    /// Returns what the bytes say about a failure: their format is another one, or a smaller size helps.
    private static func explained(
        _ failure: ImageDecodingError, _ item: Item, _ request: ImageRequest, _ loader: ImageLoader,
        _ decoder: any SizedImageDecoder
    ) async -> any Error {
        switch failure {
        case .unknownFormat, .limitExceeded(.decodedBytes, _, _): break
        default: return failure
        }
        var request = request
        if request.mode == .reload { request.mode = .standard }
        do {
            let data = try await loader.data(for: request).data
            try ForeignFormat.check(data, subject: item.address)
            try decoder.tellingSize(of: data) { throw failure }
            return failure
        } catch {
            return error is ToolFailure || error is TooLargeAtThisSize ? error : failure
        }
    }

    private func item(_ index: Int) -> Item {
        let address = addresses[index]
        return Item(
            index: index, address: address,
            request: Result { () throws(ToolFailure) in options.request(for: try LoadingOptions.url(for: address)) })
    }

    private static func report(
        _ item: Item, _ display: ProgressDisplay,
        _ load: (ImageRequest, @escaping @Sendable (WorkProgress) -> Void) async throws -> LoadReport.OutputImage
    ) async -> LoadReport {
        let clock = ContinuousClock()
        let start = clock.now
        display.started(item.index, item.address)
        var outcome: Result<LoadReport.OutputImage, ToolFailure>
        do {
            outcome = .success(try await load(try item.request.get()) { display.progressed(item.index, $0) })
        } catch {
            outcome = .failure(ToolFailure(error, subject: item.address))
        }
        return LoadReport(url: item.address, outcome: outcome, elapsed: clock.now - start)
    }

    private func output(_ report: LoadReport) throws {
        if let failure = report.failure { Console.error(failure.line) }
        if options.printing.json || !options.summary { try options.printing.print(report, text: report.line) }
    }
}

/// Records the first failure of the disk cache, which doesn't fail the loader's requests, and the trace, if there is
/// one.
final class EventRecorder: ImageLoaderObserver {
    private let first = Mutex<DataCacheError?>(nil)
    private let trace: (recorder: TraceRecorder, path: String)?

    init(trace path: String?) {
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        trace = path.map { (TraceRecorder { start.duration(to: clock.now) }, $0) }
    }

    var diskFailure: DataCacheError? { first.withLock { $0 } }

    func handle(_ event: ImageLoadEvent) {
        trace?.recorder.handle(event)
        guard case .diskFailed(let failure) = event.kind else { return }
        first.withLock { if $0 == nil { $0 = failure } }
    }

    func writeTrace() throws {
        guard let trace else { return }
        let exists = FileManager.default.fileExists(atPath: trace.path)
        try AtomicFile.write(try trace.recorder.json(), to: trace.path, replaces: exists)
    }
}
