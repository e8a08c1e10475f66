/// The inner loops of resampling, written so that the compiler can use vector instructions.
enum RowKernels {
    /// Replaces the bytes in `place`.
    static func copy(_ row: Span<UInt8>, to place: Range<Int>, of bytes: inout [UInt8]) {
        precondition(row.count == place.count)
        var target = bytes.mutableSpan
        for index in row.indices { target[place.lowerBound + index] = row[index] }
    }

    /// Replaces the samples in `place` by those of a row of straight RGBA, premultiplied: colour times alpha, and alpha
    /// times 255. Both fit in 16 bits without rounding.
    static func premultiply(_ row: Span<UInt8>, to place: Range<Int>, of samples: inout [UInt16]) {
        precondition(row.count == place.count && row.count % 4 == 0)
        var target = samples.mutableSpan
        for index in stride(from: 0, to: row.count, by: 4) {
            let alpha = UInt16(row[index + 3])
            target[place.lowerBound + index] = UInt16(row[index]) &* alpha
            target[place.lowerBound + index + 1] = UInt16(row[index + 1]) &* alpha
            target[place.lowerBound + index + 2] = UInt16(row[index + 2]) &* alpha
            target[place.lowerBound + index + 3] = alpha &* 255
        }
    }

    /// Sums four equally long rows by weight; replaces what is in `result` when `isFirst`.
    @inline(__always)
    static func sum<Sample: FixedWidthInteger>(
        _ first: Span<Sample>, _ second: Span<Sample>, _ third: Span<Sample>, _ fourth: Span<Sample>,
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
        let pixels = unsafe window.bytes
        var (even, odd) = (SIMD4<Float>(), SIMD4<Float>())
        var tap = 0
        // Sound: `tap` stays below `weights.count`, and there are as many pixels.
        while tap + 1 < weights.count {
            even += unsafe weights[tap] * pixel(pixels, tap)
            odd += unsafe weights[tap + 1] * pixel(pixels, tap + 1)
            tap += 2
        }
        if tap < weights.count { even += unsafe weights[tap] * pixel(pixels, tap) }
        return even + odd
    }

    /// Pixel `index` of four values each. It must lie within `values`.
    @inline(__always) @unsafe
    private static func pixel(_ values: RawSpan, _ index: Int) -> SIMD4<Float> {
        unsafe values.unsafeLoadUnaligned(fromUncheckedByteOffset: index * 16, as: SIMD4<Float>.self)
    }

    /// Premultiplied sums as straight RGBA. No alpha, no colour.
    @inline(__always)
    private static func straight(_ pixel: SIMD4<Float>) -> SIMD4<UInt8> {
        let alpha = pixel.w / 255
        if alpha < 0.5 { return SIMD4() }
        return rounded(SIMD4(pixel.x / alpha, pixel.y / alpha, pixel.z / alpha, alpha))
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
