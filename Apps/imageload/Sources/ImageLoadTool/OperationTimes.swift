import Foundation

/// The times of an operation over several iterations.
struct OperationTimes {
    private(set) var count = 0
    private(set) var minimumProcessorTime: Duration = .seconds(Int64.max)
    private(set) var minimumWallTime: Duration = .seconds(Int64.max)

    /// - Parameter iterations: The number of iterations; nil for as many as take 400 ms of processor time, from 3 to
    ///   1,000.
    static func measure<Failure>(
        iterations: Int?, _ body: () throws(Failure) -> Void
    ) throws(Failure) -> OperationTimes {
        var times = OperationTimes()
        var spent = Duration.zero
        repeat {
            let start = (processor: now(CLOCK_PROCESS_CPUTIME_ID), wall: now(CLOCK_MONOTONIC))
            try body()
            let processor = now(CLOCK_PROCESS_CPUTIME_ID) - start.processor
            times.minimumProcessorTime = min(times.minimumProcessorTime, processor)
            times.minimumWallTime = min(times.minimumWallTime, now(CLOCK_MONOTONIC) - start.wall)
            times.count += 1
            spent += processor
        } while times.count < iterations ?? (spent < .milliseconds(400) ? 1_000 : 3)
        return times
    }

    private static func now(_ clock: clockid_t) -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
