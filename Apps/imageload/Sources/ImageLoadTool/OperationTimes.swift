import Foundation

/// The number of iterations of a measurement.
struct Repetition {
    /// The exact number of iterations. If nil, as many as fit in `budget`, from 3 to 1,000.
    var exactly: Int?
    var budget: Duration = .milliseconds(400)

    /// Returns whether to continue after `count` iterations that took `spent` of processor time in total.
    func shouldContinue(after count: Int, spent: Duration) -> Bool {
        if let exactly { return count < exactly }
        return count < 3 || (spent < budget && count < 1_000)
    }
}

/// The times of an operation over several iterations.
struct OperationTimes {
    private(set) var count = 0
    private(set) var minimumProcessorTime: Duration = .zero
    private(set) var minimumWallTime: Duration = .zero
    /// The processor time of all iterations.
    private(set) var spent: Duration = .zero

    mutating func add(processor: Duration, wall: Duration) {
        minimumProcessorTime = count == 0 ? processor : min(minimumProcessorTime, processor)
        minimumWallTime = count == 0 ? wall : min(minimumWallTime, wall)
        spent += processor
        count += 1
    }

    static func measure<Failure>(
        _ repetition: Repetition, _ body: () throws(Failure) -> Void
    ) throws(Failure) -> OperationTimes {
        var times = OperationTimes()
        repeat {
            let start = (processor: now(CLOCK_PROCESS_CPUTIME_ID), wall: now(CLOCK_MONOTONIC))
            try body()
            times.add(
                processor: now(CLOCK_PROCESS_CPUTIME_ID) - start.processor, wall: now(CLOCK_MONOTONIC) - start.wall)
        } while repetition.shouldContinue(after: times.count, spent: times.spent)
        return times
    }

    private static func now(_ clock: clockid_t) -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
