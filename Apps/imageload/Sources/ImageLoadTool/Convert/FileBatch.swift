import ArgumentParser
import Foundation
import ImageCore

/// How many files a subcommand works on at a time.
struct BatchOptions: ParsableArguments {
    @Option(help: "The number of files to work on at a time. Default: the number of processor cores.")
    var jobs: Int?

    @OptionGroup private var limitOptions: LimitOptions

    func validate() throws {
        guard jobs.map((1...256).contains) ?? true else { throw ValidationError("--jobs must be from 1 to 256") }
    }

    /// The limits of each image. The memory is that of all in progress: fewer are started at a time if they are large.
    var limits: DecodingLimits { limitOptions.limits(bytes: 1_000_000_000) }
}

/// Works on files in parallel and reports each, in the order given.
struct FileBatch {
    let options: BatchOptions
    let output: OutputOptions
    private let queue = DispatchQueue(label: "files", attributes: .concurrent)
    private let isInteractive: Bool

    init(_ options: BatchOptions, _ output: OutputOptions) {
        self.options = options
        self.output = output
        isInteractive = Console.isInteractive && !output.json && !output.quiet
    }

    private var jobs: Int { options.jobs ?? ProcessInfo.processInfo.activeProcessorCount }

    /// Works on all files, then throws the exit code of the first failure, if any.
    ///
    /// - Parameters:
    ///   - byteCount: Returns the memory that a file needs, roughly.
    ///   - work: Runs on a thread of its own and may block.
    ///   - end: Gets all reports in order, also after a failure. Its own failure counts if no file failed.
    func run(
        _ input: InputFiles, byteCount: @escaping @Sendable (InputFile) -> Int,
        _ work: @escaping @Sendable (InputFile) throws -> FileReport,
        end: @escaping @Sendable ([FileReport]) throws -> Void = { _ in }
    ) async throws {
        let order = try await reports(on: input.all, byteCount: byteCount, work)
        if !output.quiet { printEnd(order.totals, count: input.all.count) }
        let reports = order.reports
        let failure: ToolFailure? = await perform {
            do {
                try end(reports)
                return nil
            } catch {
                let failure = ToolFailure(error, subject: "the results")
                Console.error(failure.line)
                return failure
            }
        }
        if let status = (order.failure ?? failure)?.status { throw ExitCode(status.rawValue) }
    }

    private func reports(
        on files: [InputFile], byteCount: @escaping @Sendable (InputFile) -> Int,
        _ work: @escaping @Sendable (InputFile) throws -> FileReport
    ) async throws -> ReportOrder {
        let display = ProgressDisplay(isInteractive: isInteractive, total: files.count)
        return try await display.whileDrawing {
            try await withThrowingTaskGroup(of: (Int, Int, FileReport).self) { group in
                var order = ReportOrder(output: output, display: display, printsAll: !isInteractive)
                var budget = MemoryBudget(jobs: jobs, byteLimit: options.limits.decodedByteLimit)
                for (index, file) in files.enumerated() {
                    let bytes = await perform { byteCount(file) }
                    while !budget.hasRoom(for: bytes), let (index, bytes, report) = try await group.next() {
                        budget.remove(bytes)
                        try order.add(report, at: index)
                    }
                    budget.add(bytes)
                    group.addTask {
                        (index, bytes, await perform { Self.report(on: file, at: index, display, work) })
                    }
                }
                for try await (index, _, report) in group { try order.add(report, at: index) }
                return order
            }
        }
    }

    private static func report(
        on file: InputFile, at index: Int, _ display: ProgressDisplay, _ work: (InputFile) throws -> FileReport
    ) -> FileReport {
        display.started(index, file.path)
        do {
            if let failure = file.failure { throw failure }
            if let format = file.foreign { return FileReport(file: file.path, foreign: format) }
            return try work(file)
        } catch {
            return FileReport(file: file.path, failure: ToolFailure(error, subject: file.path))
        }
    }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    private func printEnd(_ totals: FileReportTotals, count: Int) {
        for (note, count) in totals.notes.sorted(by: { $0.key < $1.key }) {
            Console.error("\(note) (\(count == 1 ? "1 file" : "\(count) files"))")
        }
        if count != 1, !output.json { Console.output(totals.line) }
    }
}

/// The work that may be in progress at a time. One file always is, whatever it needs.
struct MemoryBudget {
    let jobs: Int
    let byteLimit: Int
    private var count = 0
    private var bytes = 0

    init(jobs: Int, byteLimit: Int) {
        self.jobs = jobs
        self.byteLimit = byteLimit
    }

    func hasRoom(for more: Int) -> Bool { count < jobs && bytes + min(more, byteLimit) <= byteLimit }

    mutating func add(_ more: Int) {
        count += 1
        bytes += min(more, byteLimit)
    }

    mutating func remove(_ less: Int) {
        count -= 1
        bytes -= min(less, byteLimit)
    }
}

/// Prints reports in the order of the files.
private struct ReportOrder {
    let output: OutputOptions
    let display: ProgressDisplay
    /// Whether there is a line for each file. A terminal shows the bars and failures only.
    let printsAll: Bool
    private(set) var totals = FileReportTotals()
    private(set) var failure: ToolFailure?
    private(set) var reports: [FileReport] = []
    private var waiting: [Int: FileReport] = [:]
    private var next = 0

    init(output: OutputOptions, display: ProgressDisplay, printsAll: Bool) {
        self.output = output
        self.display = display
        self.printsAll = printsAll
    }

    mutating func add(_ report: FileReport, at index: Int) throws {
        waiting[index] = report
        totals.add(report)
        while let report = waiting.removeValue(forKey: next) {
            next += 1
            reports.append(report)
            failure = failure ?? report.failure
            try display.interrupt {
                if let error = report.error, report.failure != nil || !output.quiet { Console.error(error) }
                if printsAll { try output.print(report, text: report.line) }
            }
        }
        display.finished(index, summary: totals.line)
    }
}
