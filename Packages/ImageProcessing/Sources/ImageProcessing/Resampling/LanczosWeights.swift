/// The weights of the source samples in each output sample along one axis.
///
/// A three-lobed Lanczos filter (Duchon 1979). When scaling down, it is stretched by the ratio to also remove
/// frequencies that the output can't represent. At the edges of the source, the remaining weights are normalized to a
/// sum of 1. Samples outside the region but inside the source have weights too, as if the whole image was resized and
/// then cropped.
struct LanczosWeights {
    /// The first source sample of each output sample.
    private(set) var starts: [Int32]
    /// The end of the source samples of each output sample, exclusive.
    private(set) var ends: [Int32]
    /// The number of weights of each output sample. Weights beyond its end are 0.
    let count: Int
    /// The distance between the weights of consecutive output samples: `count`, rounded up to the step of the kernels.
    let stride: Int
    /// `stride` weights for each output sample, consecutively.
    private(set) var weights: [Float]

    /// - Parameters:
    ///   - start: The start of the region in the source.
    ///   - length: The length of the region, greater than 0.
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
            store(values, from: first, into: output)
        }
    }

    /// The source samples that are needed.
    var sourceRange: Range<Int> { Int(starts.first ?? 0)..<Int(starts.last ?? 0) + count }

    private static func count(sourceCount: Int, ratio: Double) -> Int {
        min(sourceCount, Int((2 * LanczosFilter.lobes * max(1, ratio)).rounded(.up)) + 1)
    }

    private mutating func store(_ values: [Double], from first: Int, into output: Int) {
        var end = 1
        for tap in 0..<count where values[tap] != 0 {
            weights[output * stride + tap] = Float(values[tap])
            end = tap + 1
        }
        starts[output] = Int32(first)
        ends[output] = Int32(first + end)
    }
}
