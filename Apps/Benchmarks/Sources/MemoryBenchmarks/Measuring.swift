import Foundation

/// Measures processor time and generates keys and access orders.
enum Measuring {
    /// Returns the processor time of all threads for one of `count` operations, in nanoseconds.
    static func nanoseconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = now(CLOCK_PROCESS_CPUTIME_ID)
        try body()
        return (now(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(count)
    }

    /// Returns the time of a clock in nanoseconds.
    static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Returns a URL of 58 bytes.
    static func url(_ number: Int) -> String {
        let digits = String(number)
        return "https://cdn.example.com/photos/2024/11/IMG_"
            + String(repeating: "0", count: 8 - digits.utf8.count) + digits + ".jpg?w=1080"
    }

    /// Returns pseudorandom numbers below `count`, the same in each run (xorshift64, Marsaglia 2003).
    static func order(_ count: Int, length: Int, seed: UInt64) -> [Int32] {
        var state = seed
        return (0..<length).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int32(state % UInt64(count))
        }
    }
}
