/// Weights as whole numbers, for samples of 8 bits.
struct WholeWeights {
    private(set) var weights: [Int16]
    /// How many lie from one output sample to the next: what the kernels take, zeros at the end.
    let stride: Int
    /// What a weight of 1 stands for.
    let scale: Float

    /// As fine as 16 bits allow for the largest of them, and about 2^20 in sum at most, so that sums of weighted samples
    /// stay within 32 bits. What rounding takes from their sum is below a tenth of a level.
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
