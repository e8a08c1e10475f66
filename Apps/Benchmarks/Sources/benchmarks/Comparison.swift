import Foundation

/// The processor time of an operation and of its baseline (floor), measured alternately.
struct Comparison: Encodable {
    var name: String
    /// The processor time of all threads in milliseconds, the minimum of all samples.
    var milliseconds: Double
    var floorMilliseconds: Double
    var ratio: Double

    /// A row of the table under `heading`.
    var line: String {
        name.padding(toLength: 50, withPad: " ", startingAt: 0)
            + String(format: "%9.2f ms  %9.2f ms  %6.2f", milliseconds, floorMilliseconds, ratio)
    }

    static let heading =
        "decoding".padding(toLength: 50, withPad: " ", startingAt: 0) + "        ours         floor   ratio"

    /// Takes `rounds` samples of each, alternately, after a warm-up.
    static func measure(
        _ name: String, rounds: Int, ours: () throws -> Void, floor: () throws -> Void
    ) throws -> Comparison {
        try ours()
        try floor()
        var (least, leastFloor) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            least = min(least, try Stopwatch.processorMilliseconds(ours))
            leastFloor = min(leastFloor, try Stopwatch.processorMilliseconds(floor))
        }
        return Comparison(
            name: name, milliseconds: least, floorMilliseconds: leastFloor, ratio: least / leastFloor)
    }
}
