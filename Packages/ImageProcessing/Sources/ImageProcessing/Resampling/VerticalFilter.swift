/// Filters rows vertically as they arrive. Rows consist of floats and have the same length.
protocol VerticalFilter: AnyObject {
    /// Adds source row `y`. Rows are added in order. Rows before the first needed one can be omitted.
    ///
    /// - Parameter write: Writes the row to the array, starting at the index that it receives.
    func add(row y: Int, write: (inout [Float], Int) -> Void)

    /// Returns the sums of an output row, all of whose source rows have been added. Call it for the rows in order.
    func sums(of output: Int) -> [Float]

    /// The maximum number of buffered floats.
    var maximumFloatCount: Int { get }
}

/// Adds each source row to the sums of the output rows that need it.
///
/// For large reductions: only seven or eight output rows are incomplete at a time, whatever the height of the filter.
final class AccumulatingFilter: VerticalFilter {
    private let weights: LanczosWeights
    private let kernels: RowKernels
    /// A ring buffer: the sums of output row n are at index `n % rows.count`.
    private var rows: [[Float]]
    /// The number of output rows that have sums, including finished ones.
    private var opened = 0
    private var finished = 0
    private var row: [Float]

    init(_ weights: LanczosWeights, sampleCount: Int, kernels: RowKernels) {
        self.weights = weights
        self.kernels = kernels
        row = [Float](repeating: 0, count: sampleCount)
        rows = Array(repeating: row, count: weights.maximumOpenCount)
    }

    var maximumFloatCount: Int { (rows.count + 1) * row.count }

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

/// Buffers the source rows of one output row and computes the sums on demand.
///
/// For enlargements and small reductions: few rows are buffered, and the sums stay in registers.
final class BufferedRowFilter: VerticalFilter {
    /// The maximum height of the filter. Above it, `AccumulatingFilter` needs less memory.
    static let maximumTapCount = 32

    private let weights: LanczosWeights
    private let kernels: RowKernels
    /// A ring buffer: source row y is row `y % weights.count`.
    private var rows: [Float]
    private var sums: [Float]

    init(_ weights: LanczosWeights, sampleCount: Int, kernels: RowKernels) {
        self.weights = weights
        self.kernels = kernels
        sums = [Float](repeating: 0, count: sampleCount)
        rows = [Float](repeating: 0, count: sampleCount * weights.count)
    }

    var maximumFloatCount: Int { rows.count + sums.count }

    func add(row y: Int, write: (inout [Float], Int) -> Void) { write(&rows, y % weights.count * sums.count) }

    func sums(of output: Int) -> [Float] {
        let offsets = weights.range(of: output).map { $0 % weights.count * sums.count }
        kernels.sum(rows, at: offsets, weights: weights.weights, from: output * weights.stride, into: &sums)
        return sums
    }
}
