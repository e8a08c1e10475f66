import ImageCore
import ImageTesting
import Logging
import Synchronization
import Testing

@testable import ImageServerKit

@Suite struct FailureReportsTests {
    @Test("logs a failure that repeats once a minute, with the number of repetitions")
    func repeated() {
        let (clock, log) = (ManualClock(), RecordedLog())
        let reports = FailureReports(clock: clock)
        for _ in 0..<5 { reports.report("failed", .noSpace, [:], to: log.logger) }
        reports.report("failed", .io("a"), [:], to: log.logger)
        reports.report("failed", .io("b"), [:], to: log.logger)
        #expect(log.lines.withLock { $0.count } == 2)
        clock.advance(by: .seconds(60))
        reports.report("failed", .noSpace, [:], to: log.logger)
        #expect(log.lines.withLock { $0.last?["repeated"] } == "4")
    }
}

/// A logger that keeps the metadata of its lines.
private final class RecordedLog: Sendable {
    let lines = Mutex<[Logger.Metadata]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.lines.withLock { $0.append(event.metadata ?? [:]) } }
    }
}
