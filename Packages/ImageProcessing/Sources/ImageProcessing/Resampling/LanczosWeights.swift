#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The weights with which source samples make up each output sample along one axis.
///
/// Lanczos of three lobes (Duchon 1979), stretched by the ratio when it scales down, so that the filter also removes what
/// the output can't show. At the edges of the source the weights that are left are normalised to a sum of 1. Samples
/// beside the region but within the source take part, as if the whole had been resized and then cut.
struct LanczosWeights {
    /// First source sample of each output sample.
    let starts: [Int]
    /// How many source samples each output sample has weights for. Those beyond its own need are 0.
    let count: Int
    /// How many of them, from the first, are not 0.
    let usedCounts: [Int]
    /// `count` weights for each output sample, one after the other.
    let weights: [Float]

    private static let lobes = 3.0

    /// - Parameters:
    ///   - start: where the region begins in the source.
    ///   - length: of the region, above 0.
    init(sourceCount: Int, start: Double, length: Double, outputCount: Int) {
        let step = length / Double(outputCount)
        let stretch = max(1, step)
        let radius = Self.lobes * stretch
        let count = Self.count(sourceCount: sourceCount, step: step)
        var starts: [Int] = []
        var weights: [Float] = []
        starts.reserveCapacity(outputCount)
        weights.reserveCapacity(outputCount * count)
        for index in 0..<outputCount {
            let center = start + (Double(index) + 0.5) * step
            let first = Self.first(center: center, radius: radius, count: count, sourceCount: sourceCount)
            starts.append(first)
            weights.append(
                contentsOf: Self.normalised(
                    (first..<first + count).map { sample in
                        Self.lanczos((Double(sample) + 0.5 - center) / stretch)
                    }, fallback: Int(center) - first))
        }
        (self.starts, self.weights, self.count) = (starts, weights, count)
        usedCounts = starts.indices.map { index in
            let own = weights[index * count..<(index + 1) * count]
            return (own.lastIndex { $0 != 0 } ?? own.startIndex) - own.startIndex + 1
        }
    }

    /// The source samples that any output sample has weights for.
    var sourceRange: Range<Int> { (starts.first ?? 0)..<(starts.last ?? 0) + count }

    /// The weight of a source sample in an output sample; 0 for those that have none.
    func weight(of sample: Int, in output: Int) -> Float {
        let tap = sample - starts[output]
        return tap >= 0 && tap < usedCounts[output] ? weights[output * count + tap] : 0
    }

    /// How many output samples may need source samples at a time, from the first that is not complete on.
    var largestOpenCount: Int {
        var (largest, end, next) = (1, 0, 0)
        for output in starts.indices {
            end = max(end, starts[output] + usedCounts[output])
            while next < starts.count, starts[next] < end { next += 1 }
            largest = max(largest, next - output)
        }
        return largest
    }

    /// How many samples the filter covers where it covers most.
    static func count(sourceCount: Int, step: Double) -> Int {
        min(sourceCount, Int((2 * lobes * max(1, step)).rounded(.up)) + 1)
    }

    private static func first(center: Double, radius: Double, count: Int, sourceCount: Int) -> Int {
        max(0, min(sourceCount - count, Int((center - radius).rounded(.down))))
    }

    private static func normalised(_ values: [Double], fallback: Int) -> [Float] {
        let sum = values.reduce(0, +)
        // Can't happen for a region within the source; a region beside it takes its nearest sample.
        guard abs(sum) > 1e-9 else {
            return values.indices.map { $0 == max(0, min(values.count - 1, fallback)) ? 1 : 0 }
        }
        return values.map { Float($0 / sum) }
    }

    private static func lanczos(_ x: Double) -> Double {
        if abs(x) < 1e-9 { return 1 }
        if abs(x) >= lobes { return 0 }
        let angle = x * .pi
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }
}
