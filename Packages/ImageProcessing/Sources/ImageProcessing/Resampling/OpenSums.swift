/// The sums of the output rows under whose filters the source rows lie that are coming in.
///
/// For filters so high that the rows under them would take more memory than these sums do.
struct OpenSums {
    /// How many source rows are added at a time, at most.
    static let groupHeight = 4

    private let weights: LanczosWeights
    /// Those of output row n are in place `n % rows.count`.
    private var rows: [[Float]]
    /// How many output rows have sums, finished ones included.
    private var opened = 0

    init(_ weights: LanczosWeights, sampleCount: Int) {
        self.weights = weights
        let row = [Float](repeating: 0, count: sampleCount)
        rows = Array(repeating: row, count: weights.largestOpenCount)
    }

    /// The sums of an output row that is open.
    subscript(output: Int) -> [Float] { rows[output % rows.count] }

    /// Adds the source rows `range` to all output rows from `first` on that need them.
    ///
    /// - Parameters:
    ///   - first: the first output row that is not finished.
    ///   - place: where in `samples` a source row lies. Also asked for those that follow `range` up to the height of
    ///     a group, whose samples may be anything.
    mutating func add<Sample: FixedWidthInteger>(
        _ range: Range<Int>, toOutputFrom first: Int, samples: Span<Sample>, place: (Int) -> Range<Int>
    ) {
        let y = range.lowerBound
        var output = first
        while output < weights.starts.count, weights.starts[output] < range.upperBound {
            let factors = SIMD4((y..<y + 4).map { range.contains($0) ? weights.weight(of: $0, in: output) : 0 })
            RowKernels.sum(
                samples.extracting(place(y)), samples.extracting(place(y + 1)), samples.extracting(place(y + 2)),
                samples.extracting(place(y + 3)), weights: factors, isFirst: output >= opened,
                into: &rows[output % rows.count])
            output += 1
            opened = max(opened, output)
        }
    }
}
