/// The weights with which source samples make up each output sample along one axis.
///
/// Lanczos of three lobes (Duchon 1979), stretched by the ratio when it scales down, so that the filter also removes what
/// the output can't show. At the edges of the source the weights that are left are normalised to a sum of 1. Samples
/// beside the region but within the source take part, as if the whole had been resized and then cut.
struct LanczosWeights {
    /// First source sample of each output sample.
    private(set) var starts: [Int32]
    /// One beyond the last source sample of each output sample.
    private(set) var ends: [Int32]
    /// How many source samples each output sample has weights for. Those beyond its end are 0.
    let count: Int
    /// How many weights lie from one output sample to the next: `count`, up to what the kernels take.
    let stride: Int
    /// `stride` weights for each output sample, one after the other.
    private(set) var weights: [Float]

    /// - Parameters:
    ///   - start: where the region begins in the source.
    ///   - length: of the region, above 0.
    init(sourceCount: Int, start: Double, length: Double, outputCount: Int) {
        let ratio = length / Double(outputCount)
        count = Self.count(sourceCount: sourceCount, ratio: ratio)
        stride = (count + RowKernels.alphaFilterStep - 1) / RowKernels.alphaFilterStep * RowKernels.alphaFilterStep
        starts = [Int32](repeating: 0, count: outputCount)
        ends = starts
        weights = [Float](repeating: 0, count: outputCount * stride)
        var values = [Double](repeating: 0, count: stride)
        for output in 0..<outputCount {
            let center = start + (Double(output) + 0.5) * ratio
            let earliest = Int((center - LanczosFilter.lobes * max(1, ratio)).rounded(.down))
            let first = max(0, min(sourceCount - count, earliest))
            LanczosFilter.sample(
                into: &values, count: count, from: Double(first) + 0.5 - center, stretchedBy: max(1, ratio),
                nearest: Int(center) - first)
            put(values, from: first, into: output)
        }
    }

    /// The source samples that any output sample has weights for.
    var sourceRange: Range<Int> { Int(starts.first ?? 0)..<Int(starts.last ?? 0) + count }

    /// The source samples of an output sample.
    func range(of output: Int) -> Range<Int> { Int(starts[output])..<Int(ends[output]) }

    /// The weight of a source sample in an output sample; 0 for those that have none.
    func weight(of sample: Int, in output: Int) -> Float {
        let tap = sample - Int(starts[output])
        return tap >= 0 && tap < count ? weights[output * stride + tap] : 0
    }

    /// How many output samples may need source samples at a time, from the first that is not complete on.
    var largestOpenCount: Int {
        var (largest, end, next) = (1, 0, 0)
        for output in starts.indices {
            end = max(end, Int(ends[output]))
            while next < starts.count, starts[next] < end { next += 1 }
            largest = max(largest, next - output)
        }
        return largest
    }

    private static func count(sourceCount: Int, ratio: Double) -> Int {
        min(sourceCount, Int((2 * LanczosFilter.lobes * max(1, ratio)).rounded(.up)) + 1)
    }

    private mutating func put(_ values: [Double], from first: Int, into output: Int) {
        var end = 1
        for tap in 0..<count where values[tap] != 0 {
            weights[output * stride + tap] = Float(values[tap])
            end = tap + 1
        }
        starts[output] = Int32(first)
        ends[output] = Int32(first + end)
    }
}
