import Foundation

/// Decides how often an operation is measured.
struct Repetition {
    /// The exact number of iterations. If nil, as many as fit into `budget`, from 3 to 1,000.
    var exactly: Int?
    var budget: Duration = .milliseconds(400)

    /// Returns whether to continue after `count` iterations that took `spent` of processor time in total.
    func wantsMore(after count: Int, spent: Duration) -> Bool {
        if let exactly { return count < exactly }
        return count < 3 || (spent < budget && count < 1_000)
    }
}

/// The times of an operation over several iterations.
struct OperationTimes {
    private(set) var count = 0
    private(set) var leastProcessor: Duration = .zero
    private(set) var leastWall: Duration = .zero
    /// The processor time of all iterations.
    private(set) var spent: Duration = .zero

    mutating func add(processor: Duration, wall: Duration) {
        leastProcessor = count == 0 ? processor : min(leastProcessor, processor)
        leastWall = count == 0 ? wall : min(leastWall, wall)
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
        } while repetition.wantsMore(after: times.count, spent: times.spent)
        return times
    }

    private static func now(_ clock: clockid_t) -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
