/// Filters rows downwards as they come in. Rows are of floats and all of the same length.
protocol VerticalFilter: AnyObject {
    /// Takes source row `y`. Rows come in order; those above the first that is needed may be left out.
    ///
    /// - Parameter write: puts the row into the array, from this place on.
    func add(row y: Int, write: (inout [Float], Int) -> Void)

    /// The sums of an output row under whose filter all source rows have come in. Rows are asked for in order.
    func sums(of output: Int) -> [Float]

    /// What it holds at most, in floats.
    var heldCount: Int { get }
}

/// Keeps the sums of the output rows under whose filters the source rows lie that are coming in.
///
/// For scaling far down: those are seven or eight, however high the filter.
final class OpenSums: VerticalFilter {
    private let weights: LanczosWeights
    private let kernels: RowKernels
    /// Those of output row n are in place `n % rows.count`.
    private var rows: [[Float]]
    /// How many output rows have sums, finished ones included.
    private var opened = 0
    private var finished = 0
    private var row: [Float]

    init(_ weights: LanczosWeights, sampleCount: Int, kernels: RowKernels) {
        self.weights = weights
        self.kernels = kernels
        row = [Float](repeating: 0, count: sampleCount)
        rows = Array(repeating: row, count: weights.largestOpenCount)
    }

    var heldCount: Int { (rows.count + 1) * row.count }

    func add(row y: Int, write: (inout [Float], Int) -> Void) {
        write(&row, 0)
        var output = finished
        while output < weights.starts.count, weights.starts[output] <= y {
            if y < weights.ends[output] {
                kernels.add(
                    row, weight: weights.weight(of: y, in: output), isFirst: output >= opened,
                    to: &rows[output % rows.count])
                opened = max(opened, output + 1)
            }
            output += 1
        }
    }

    func sums(of output: Int) -> [Float] {
        finished = output + 1
        return rows[output % rows.count]
    }
}

/// Keeps the rows that lie under one filter, and sums them when they are asked for.
///
/// For scaling up, when they are seven and many output rows need the same, and for scaling down a little: the sums stay in
/// registers.
final class KeptRows: VerticalFilter {
    /// Filters higher than this take less memory as sums.
    static let highestFilter = 32

    private let weights: LanczosWeights
    private let kernels: RowKernels
    /// Source row y is in place `y % weights.count`.
    private var rows: [Float]
    private var sums: [Float]

    init(_ weights: LanczosWeights, sampleCount: Int, kernels: RowKernels) {
        self.weights = weights
        self.kernels = kernels
        sums = [Float](repeating: 0, count: sampleCount)
        rows = [Float](repeating: 0, count: sampleCount * weights.count)
    }

    var heldCount: Int { rows.count + sums.count }

    func add(row y: Int, write: (inout [Float], Int) -> Void) { write(&rows, y % weights.count * sums.count) }

    func sums(of output: Int) -> [Float] {
        let offsets = weights.range(of: output).map { $0 % weights.count * sums.count }
        kernels.sum(rows, at: offsets, weights: weights.weights, from: output * weights.stride, into: &sums)
        return sums
    }
}
