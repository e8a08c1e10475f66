/// The inner loops of resampling, written so that the compiler can use vector instructions.
enum RowKernels {
    /// Replaces the bytes in `place`.
    static func copy(_ row: Span<UInt8>, to place: Range<Int>, of bytes: inout [UInt8]) {
        precondition(row.count == place.count)
        var target = bytes.mutableSpan
        for index in row.indices { target[place.lowerBound + index] = row[index] }
    }

    /// Sums four equally long rows by weight; replaces what is in `result` when `isFirst`.
    static func sum(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>, _ fourth: Span<UInt8>,
        weights: SIMD4<Float>, isFirst: Bool, into result: inout [Float]
    ) {
        var sums = result.mutableSpan
        let count = sums.count
        precondition(first.count == count && second.count == count && third.count == count && fourth.count == count)
        let (w0, w1, w2, w3) = (weights.x, weights.y, weights.z, weights.w)
        if isFirst {
            for i in 0..<count {
                sums[i] = w0 * Float(first[i]) + w1 * Float(second[i]) + (w2 * Float(third[i]) + w3 * Float(fourth[i]))
            }
        } else {
            for i in 0..<count {
                sums[i] += w0 * Float(first[i]) + w1 * Float(second[i]) + (w2 * Float(third[i]) + w3 * Float(fourth[i]))
            }
        }
    }

    /// Adds one row of straight RGBA by weight, premultiplied; alpha stays from 0 to 255, colour goes to 255².
    static func addPremultiplied(_ row: Span<UInt8>, weight: Float, isFirst: Bool, into result: inout [Float]) {
        var sums = result.mutableSpan
        let count = sums.count
        precondition(row.count == count && count % 4 == 0)
        for i in stride(from: 0, to: count, by: 4) {
            let alpha = weight * Float(row[i + 3])
            let red = alpha * Float(row[i])
            let green = alpha * Float(row[i + 1])
            let blue = alpha * Float(row[i + 2])
            if isFirst {
                sums[i] = red
                sums[i + 1] = green
                sums[i + 2] = blue
                sums[i + 3] = alpha
            } else {
                sums[i] += red
                sums[i + 1] += green
                sums[i + 2] += blue
                sums[i + 3] += alpha
            }
        }
    }

    /// Filters a row of sums to one of pixels. Opaque pixels leave the alpha in `result` as it is.
    static func filterAcross(
        _ row: [Float], weights: LanczosWeights, firstColumn: Int, isOpaque: Bool, into result: inout [UInt8]
    ) {
        let sums = row.span
        let taps = weights.count
        let allWeights = weights.weights.span
        var output = result.mutableSpan
        for x in 0..<weights.starts.count {
            let start = (weights.starts[x] - firstColumn) * 4
            let window = sums.extracting(start..<start + taps * 4)
            let pixel = weightedSum(of: window, weights: allWeights.extracting(x * taps..<(x + 1) * taps))
            let bytes = isOpaque ? rounded(pixel) : straight(pixel)
            output[x * 4] = bytes.x
            output[x * 4 + 1] = bytes.y
            output[x * 4 + 2] = bytes.z
            if !isOpaque { output[x * 4 + 3] = bytes.w }
        }
    }

    /// Sum of pixels of four values each, by one weight a pixel.
    @inline(__always)
    private static func weightedSum(of window: Span<Float>, weights: Span<Float>) -> SIMD4<Float> {
        precondition(window.count == weights.count * 4)
        var (even, odd) = (SIMD4<Float>(), SIMD4<Float>())
        var tap = 0
        while tap + 1 < weights.count {
            even += weights[tap] * pixel(window, tap)
            odd += weights[tap + 1] * pixel(window, tap + 1)
            tap += 2
        }
        if tap < weights.count { even += weights[tap] * pixel(window, tap) }
        return even + odd
    }

    @inline(__always)
    private static func pixel(_ values: Span<Float>, _ index: Int) -> SIMD4<Float> {
        SIMD4(values[index * 4], values[index * 4 + 1], values[index * 4 + 2], values[index * 4 + 3])
    }

    /// Colour divided by the alpha it was multiplied with. No alpha, no colour.
    @inline(__always)
    private static func straight(_ pixel: SIMD4<Float>) -> SIMD4<UInt8> {
        if pixel.w < 0.5 { return SIMD4() }
        return rounded(SIMD4(pixel.x / pixel.w, pixel.y / pixel.w, pixel.z / pixel.w, pixel.w))
    }

    /// To the nearest whole number from 0 to 255. Adding 2²³ leaves no bits for a fraction, so the sum's low bits are it.
    @inline(__always)
    private static func rounded(_ values: SIMD4<Float>) -> SIMD4<UInt8> {
        let low = values.replacing(with: SIMD4(repeating: 0), where: values .< 0)
        let clamped = low.replacing(with: SIMD4(repeating: 255), where: low .> 255)
        let shifted = clamped + SIMD4(repeating: 8_388_608)
        return SIMD4(
            UInt8(truncatingIfNeeded: shifted.x.bitPattern), UInt8(truncatingIfNeeded: shifted.y.bitPattern),
            UInt8(truncatingIfNeeded: shifted.z.bitPattern), UInt8(truncatingIfNeeded: shifted.w.bitPattern))
    }
}
