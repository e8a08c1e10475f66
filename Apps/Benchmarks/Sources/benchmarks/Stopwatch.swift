import Foundation

/// Measures times of operations.
enum Stopwatch {
    /// Returns the median wall-clock time of an operation in samples of `batch` calls, after a warm-up of one sample.
    static func median(_ name: String, samples: Int, batch: Int, _ body: (Int) -> Void) -> Figure {
        for index in 0..<batch { body(index) }
        let times = (0..<samples).map { sample in
            let start = nanoseconds(CLOCK_MONOTONIC)
            for index in 0..<batch { body(sample * batch + index) }
            return Double(nanoseconds(CLOCK_MONOTONIC) - start) / Double(batch)
        }
        return Figure(name: name, value: times.sorted()[samples / 2], unit: "ns")
    }

    /// Returns the median wall-clock time of an asynchronous operation in samples of one call, after a warm-up of one call.
    static func median(_ name: String, samples: Int, _ body: (Int) async throws -> Void) async rethrows -> Figure {
        var times: [Double] = []
        try await body(0)
        for sample in 0..<samples {
            let start = nanoseconds(CLOCK_MONOTONIC)
            try await body(sample)
            times.append(Double(nanoseconds(CLOCK_MONOTONIC) - start) / 1_000)
        }
        return Figure(name: name, value: times.sorted()[samples / 2], unit: "µs")
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

    /// Returns the processor time of all threads so far, in nanoseconds.
    static func processorNanoseconds() -> UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
