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

/// Adds the source rows to the sums of the output rows that need them, in batches.
///
/// For large reductions: only seven or eight output rows are incomplete at a time, whatever the height of the filter.
final class AccumulatingFilter: VerticalFilter {
    /// Each batch reads and writes the sums once.
    private static let batchSize = 4

    private let weights: LanczosWeights
    private let kernels: RowKernels
    private let sampleCount: Int
    /// A ring buffer: the sums of output row n are at index `n % sums.count`.
    private var sums: [[Float]]
    /// The number of output rows that have sums, including finished ones.
    private var opened = 0
    private var finished = 0
    private var batch: [Float]
    /// The source rows in `batch`.
    private var batched = 0..<0

    init(_ weights: LanczosWeights, sampleCount: Int, kernels: RowKernels) {
        self.weights = weights
        self.kernels = kernels
        self.sampleCount = sampleCount
        batch = [Float](repeating: 0, count: Self.batchSize * sampleCount)
        sums = Array(repeating: [Float](repeating: 0, count: sampleCount), count: weights.maximumOpenCount)
    }

    var maximumFloatCount: Int { sums.count * sampleCount + batch.count }

    func add(row y: Int, write: (inout [Float], Int) -> Void) {
        if batched.count == Self.batchSize { addBatch() }
        if batched.isEmpty { batched = y..<y }
        write(&batch, batched.count * sampleCount)
        batched = batched.lowerBound..<y + 1
    }

    func sums(of output: Int) -> [Float] {
        addBatch()
        finished = output + 1
        return sums[output % sums.count]
    }

    private func addBatch() {
        var output = finished
        while output < weights.starts.count, weights.starts[output] < batched.upperBound {
            add(batched.clamped(to: weights.range(of: output)), to: output)
            output += 1
        }
        batched = 0..<0
    }

    private func add(_ rows: Range<Int>, to output: Int) {
        if rows.isEmpty { return }
        kernels.sum(
            batch, at: rows.map { ($0 - batched.lowerBound) * sampleCount }, weights: weights.weights,
            from: weights.index(of: rows.lowerBound, in: output), isFirst: output >= opened,
            into: &sums[output % sums.count])
        opened = max(opened, output + 1)
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
        kernels.sum(
            rows, at: offsets, weights: weights.weights, from: output * weights.stride, isFirst: true, into: &sums)
        return sums
    }
}
