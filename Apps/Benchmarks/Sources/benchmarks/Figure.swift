import Foundation

/// A measured value, with an optional ratio to a baseline, an optional goal and optional comparisons.
struct Figure: Encodable {
    /// A comparison, measured alternately in the same run.
    struct Other: Encodable {
        var value: Double
        var name: String
    }

    var name: String
    var value: Double
    var unit: String
    /// The ratio to the baseline in the same run, or `nil` if there is none.
    var ratio: Double?
    /// The upper limit of the ratio, or of the value without a ratio. `nil` if there is no goal.
    var goal: Double?
    /// The comparisons.
    var beside: [Other] = []

    static func heading(_ title: String) -> String {
        title.padding(toLength: 66, withPad: " ", startingAt: 0) + "                ratio  goal"
    }

    var line: String {
        let ratioText = ratio.map { String(format: "%8.2f", $0) } ?? (goal == nil ? "" : "        ")
        let result = goal.map { String(format: "  <= %g %@", $0, (ratio ?? value) <= $0 ? "met" : "NOT met") } ?? ""
        return row(name, value) + ratioText + result + beside.map { "\n" + row("  " + $0.name, $0.value) }.joined()
    }

    private func row(_ name: String, _ value: Double) -> String {
        name.padding(toLength: 66, withPad: " ", startingAt: 0)
            + String(format: "%9.2f ", value) + unit.padding(toLength: 2, withPad: " ", startingAt: 0)
    }
}
