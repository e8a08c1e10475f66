/// The Lanczos filter with three lobes: sinc(x) * sinc(x / 3) for x from -3 to 3, and 0 otherwise.
///
/// It does not call the sine of the C library, whose last bits differ between platforms. Images must not differ.
enum LanczosFilter {
    static let lobes = 3.0

    /// Writes weights with a sum of 1.
    ///
    /// - Parameters:
    ///   - values: The output, with space for `count` weights, rounded up to a multiple of four.
    ///   - count: The number of weights.
    ///   - distance: The distance of the first sample from the center of the filter, in samples.
    ///   - stretch: The width of the filter as a multiple of its normal width.
    ///   - nearest: The index of the sample that gets all the weight if the sum is close to 0. This does not happen for
    ///     regions inside the source.
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
