/// The weights of the input samples in each output sample along one axis.
///
/// A three-lobed Lanczos filter (Duchon 1979). When scaling down, it is stretched by the ratio to also remove
/// frequencies that the output can't represent. At the edges of the input, the remaining weights are normalized to a
/// sum of 1. Samples outside the region but inside the input have weights too, as if the whole image was resized and
/// then cropped.
struct LanczosWeights {
    /// The first input sample of each output sample.
    private(set) var starts: [Int32]
    /// The end of the input samples of each output sample, exclusive.
    private(set) var ends: [Int32]
    /// The number of weights of each output sample. Weights beyond its end are 0.
    let count: Int
    /// The distance between the weights of consecutive output samples: `count`, rounded up to the step of the kernels.
    let stride: Int
    /// `stride` weights for each output sample, consecutively.
    private(set) var weights: [Float]

    /// - Parameters:
    ///   - start: The start of the region in the input.
    ///   - length: The length of the region, greater than 0.
    init(inputCount: Int, start: Double, length: Double, outputCount: Int) {
        let ratio = length / Double(outputCount)
        count = Self.count(inputCount: inputCount, ratio: ratio)
        stride = (count + RowKernels.alphaFilterStep - 1) / RowKernels.alphaFilterStep * RowKernels.alphaFilterStep
        starts = [Int32](repeating: 0, count: outputCount)
        ends = starts
        weights = [Float](repeating: 0, count: outputCount * stride)
        var values = [Double](repeating: 0, count: stride)
        for output in 0..<outputCount {
            let center = start + (Double(output) + 0.5) * ratio
            let earliest = Int((center - LanczosFilter.lobes * max(1, ratio)).rounded(.down))
            let first = max(0, min(inputCount - count, earliest))
            LanczosFilter.sample(
                into: &values, count: count, from: Double(first) + 0.5 - center, stretchedBy: max(1, ratio),
                nearest: Int(center) - first)
            store(values, from: first, into: output)
        }
    }

    /// The input samples that are needed.
    var sourceRange: Range<Int> { Int(starts.first ?? 0)..<Int(starts.last ?? 0) + count }

    private static func count(inputCount: Int, ratio: Double) -> Int {
        min(inputCount, Int((2 * LanczosFilter.lobes * max(1, ratio)).rounded(.up)) + 1)
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

/// The Lanczos filter with three lobes: sinc(x) * sinc(x / 3) for x from -3 to 3, and 0 otherwise.
///
/// It does not call the sine of the C library, whose last bits differ between platforms. Images must not differ.
enum LanczosFilter {
    static let lobes = 3.0

    /// Writes `count` weights with a sum of 1. There is space for a multiple of four.
    ///
    /// - Parameters:
    ///   - distance: The distance of the first sample from the center of the filter, in samples.
    ///   - stretch: The width of the filter as a multiple of its normal width.
    ///   - nearest: The sample that gets all the weight if the sum is close to 0, which regions inside the input avoid.
    static func sample(
        into values: inout [Double], count: Int, from distance: Double, stretchedBy stretch: Double, nearest: Int
    ) {
        let scale = 1 / stretch
        for tap in Swift.stride(from: 0, to: count, by: 4) {
            let taps = SIMD4(repeating: Double(tap)) + SIMD4(0, 1, 2, 3)
            let four = Self.values(at: (distance + taps) * scale)
            for lane in 0..<4 { values[tap + lane] = four[lane] }
        }
        var sum = 0.0
        for tap in 0..<count { sum += values[tap] }
        if abs(sum) < 0.1 {
            for tap in 0..<count { values[tap] = 0 }
            values[max(0, min(count - 1, nearest))] = 1
            sum = 1
        }
        let factor = 1 / sum
        for tap in 0..<count { values[tap] *= factor }
    }

    /// Returns q² (1 - 4/3 u q²) with q = sinc(x / 3) and u = (πx / 3)², because sin 3t = sin t (3 - 4 sin² t).
    private static func values(at x: SIMD4<Double>) -> SIMD4<Double> {
        let angle = x * (.pi / lobes)
        let square = angle * angle
        let sinc = sincOfRoot(square)
        let power = sinc * sinc
        let inside = power * (1 - 4.0 / 3 * square * power)
        return SIMD4(repeating: 0).replacing(with: inside, where: square .< .pi * .pi)
    }

    /// Returns sin(√u) / √u for u from 0 to π² from its Taylor series. The first omitted term is below 1e-13.
    private static func sincOfRoot(_ u: SIMD4<Double>) -> SIMD4<Double> {
        var sum = 1 - u * (1.0 / (24 * 25))
        sum = 1 - u * (1.0 / (22 * 23)) * sum
        sum = 1 - u * (1.0 / (20 * 21)) * sum
        sum = 1 - u * (1.0 / (18 * 19)) * sum
        sum = 1 - u * (1.0 / (16 * 17)) * sum
        sum = 1 - u * (1.0 / (14 * 15)) * sum
        sum = 1 - u * (1.0 / (12 * 13)) * sum
        sum = 1 - u * (1.0 / (10 * 11)) * sum
        sum = 1 - u * (1.0 / (8 * 9)) * sum
        sum = 1 - u * (1.0 / (6 * 7)) * sum
        sum = 1 - u * (1.0 / (4 * 5)) * sum
        return 1 - u * (1.0 / (2 * 3)) * sum
    }
}

/// Weights in 16-bit fixed point, for samples of up to 15 bits.
struct FixedPointWeights {
    private(set) var weights: [Int16]
    /// The number of weights per output sample, padded with zeros to the step of the kernels.
    let stride: Int
    /// The value of an integer weight of 1.
    let scale: Float

    /// Uses the largest scale for which each weight fits in 16 bits, and a weighted sum of samples in 32. The sum of the
    /// weights is about 2^20 at most for samples of 8 bits, and 2^15 for light. The rounding error is below a tenth of a
    /// level for samples of 8 bits.
    init(_ exact: LanczosWeights, largestSample: Int) {
        var largest: Float = 1e-3
        for weight in exact.weights { largest = max(largest, abs(weight)) }
        var one: Float = largestSample > 255 ? 32_768 : 1_048_576
        while largest * one > 32_000 { one /= 2 }
        let step = RowKernels.opaqueFilterStep
        stride = (exact.count + step - 1) / step * step
        scale = 1 / one
        weights = [Int16](repeating: 0, count: exact.starts.count * stride)
        for output in exact.starts.indices {
            for tap in 0..<exact.count {
                let weight = exact.weights[output * exact.stride + tap]
                weights[output * stride + tap] = Int16((weight * one).rounded())
            }
        }
    }
}
