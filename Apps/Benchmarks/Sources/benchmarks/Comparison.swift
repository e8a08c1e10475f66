import Foundation

/// Processor time of one operation and of its floor, measured by turns.
struct Comparison: Encodable {
    var name: String
    /// Milliseconds of all threads; the least of all samples, as are those of the floor.
    var milliseconds: Double
    var floorMilliseconds: Double
    var ratio: Double

    /// One line for people, under `heading`.
    var line: String {
        name.padding(toLength: 50, withPad: " ", startingAt: 0)
            + String(format: "%9.2f ms  %9.2f ms  %6.2f", milliseconds, floorMilliseconds, ratio)
    }

    static let heading =
        "decoding".padding(toLength: 50, withPad: " ", startingAt: 0) + "        ours         floor   ratio"

    /// Takes `rounds` samples of each, by turns, after one that does not count.
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
