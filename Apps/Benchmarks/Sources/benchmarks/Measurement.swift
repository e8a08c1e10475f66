import Foundation

/// The times of an operation over many samples.
struct Measurement: Encodable {
    var name: String
    /// The median wall-clock time of an operation, in nanoseconds.
    var medianNanoseconds: Double
    /// The least wall-clock time of an operation, in nanoseconds.
    var minNanoseconds: Double
    /// The mean processor time of an operation, including all threads, in nanoseconds.
    var processorNanoseconds: Double
    var samples: Int

    /// A row of the table.
    var line: String {
        let columns = [medianNanoseconds, minNanoseconds, processorNanoseconds].map(Self.text)
        return name.padding(toLength: 58, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }

    static let heading =
        "".padding(toLength: 58, withPad: " ", startingAt: 0) + "      median         min   processor"

    private static func text(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: String(format: "%.1f ns", nanoseconds)
        case ..<1_000_000: String(format: "%.2f us", nanoseconds / 1_000)
        default: String(format: "%.3f ms", nanoseconds / 1_000_000)
        }
    }
}

/// Measures times of operations.
enum Stopwatch {
    /// Measures an operation in samples of `batch` calls, after a warm-up of one sample.
    static func measure(_ name: String, samples: Int, batch: Int, _ body: (Int) -> Void) -> Measurement {
        var times: [Double] = []
        for index in 0..<batch { body(index) }
        let processor = processorNanoseconds()
        for sample in 0..<samples {
            let start = wallNanoseconds()
            for index in 0..<batch { body(sample * batch + index) }
            times.append(Double(wallNanoseconds() - start) / Double(batch))
        }
        return result(name, times, processorNanoseconds() - processor, operations: samples * batch)
    }

    /// Measures an asynchronous operation in samples of one call, after a warm-up of one call.
    static func measure(
        _ name: String, samples: Int, _ body: (Int) async throws -> Void
    ) async rethrows -> Measurement {
        var times: [Double] = []
        try await body(0)
        let processor = processorNanoseconds()
        for sample in 0..<samples {
            let start = wallNanoseconds()
            try await body(sample)
            times.append(Double(wallNanoseconds() - start))
        }
        return result(name, times, processorNanoseconds() - processor, operations: samples)
    }

    /// Returns the processor time of all threads during the call, in milliseconds.
    static func processorMilliseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = processorNanoseconds()
        try body()
        return Double(processorNanoseconds() - start) / 1_000_000
    }

    /// Returns the processor time of all threads during the call, in microseconds.
    static func processorMicroseconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = processorNanoseconds()
        try await body()
        return Double(processorNanoseconds() - start) / 1_000
    }

    private static func result(
        _ name: String, _ times: [Double], _ processor: UInt64, operations: Int
    ) -> Measurement {
        let sorted = times.sorted()
        return Measurement(
            name: name, medianNanoseconds: sorted[sorted.count / 2], minNanoseconds: sorted[0],
            processorNanoseconds: Double(processor) / Double(operations), samples: times.count)
    }

    private static func wallNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }
    /// Returns the processor time of all threads so far, in nanoseconds.
    static func processorNanoseconds() -> UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
