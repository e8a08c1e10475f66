/// Weights in 16-bit fixed point, for 8-bit samples.
struct FixedPointWeights {
    private(set) var weights: [Int16]
    /// The number of weights per output sample, padded with zeros to the step of the kernels.
    let stride: Int
    /// The value of an integer weight of 1.
    let scale: Float

    /// Uses the largest scale for which each weight fits in 16 bits. The sum of the weights is about 2^20 at most, so that
    /// weighted sums of samples fit in 32 bits. The rounding error is below a tenth of a level.
    init(_ exact: LanczosWeights) {
        var largest: Float = 1e-3
        for weight in exact.weights { largest = max(largest, abs(weight)) }
        var one: Float = 1_048_576
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
