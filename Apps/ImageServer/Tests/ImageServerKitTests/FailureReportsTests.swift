import ImageCore
import ImageTesting
import Logging
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
        #expect(log.messages.count == 2)
        clock.advance(by: .seconds(60))
        reports.report("failed", .noSpace, [:], to: log.logger)
        #expect(log.metadata.last?["repeated"] == "4")
    }
}
