import ImageCore
import ImageTesting
import InMemoryLogging
import Logging
import Testing

@testable import ImageServerKit

@Suite struct FailureReportsTests {
    @Test("logs a failure that repeats once a minute, with the number of repetitions")
    func repeated() {
        let (clock, log) = (ManualClock(), InMemoryLogHandler())
        let logger = Logger(label: "test") { _ in log }
        let reports = FailureReports(clock: clock)
        for _ in 0..<5 { reports.report("failed", .noSpace, [:], to: logger) }
        reports.report("failed", .io("a"), [:], to: logger)
        reports.report("failed", .io("b"), [:], to: logger)
        #expect(log.entries.count == 2)
        clock.advance(by: .seconds(60))
        reports.report("failed", .noSpace, [:], to: logger)
        #expect(log.entries.last?.metadata["repeated"] == "4")
    }
}
