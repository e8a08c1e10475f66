import CImageProcessing

/// The inner loops of resampling, in C, with the vector instructions of the current CPU. The result is the same for all
/// instruction sets.
struct RowKernels {
    /// The numbers of samples that the horizontal filters process at a time.
    static let opaqueFilterStep = Int(opaque_filter_step)
    static let alphaFilterStep = Int(alpha_filter_step)

    /// Returns the number of floats in a row of sums: three for each opaque pixel and one more, or four for each pixel
    /// with alpha, padded to the step of the kernel.
    static func sampleCount(width: Int, isOpaque: Bool) -> Int {
        let step = Int(sum_step)
        return ((isOpaque ? width * 3 + 1 : width * 4) + step - 1) / step * step
    }

    private let instructions: instruction_set

    /// Creates the kernels for the current CPU.
    init() { instructions = best_instructions() }

    /// The kernels that run on every CPU of this architecture.
    static let portable = RowKernels(instructions_portable)

    private init(_ instructions: instruction_set) { self.instructions = instructions }

    /// Splits a row of opaque RGBA into three planes, each with `stride` samples: values, or light.
    func deinterleave(_ row: Span<UInt8>, isLinear: Bool, into planes: inout [Int16], stride: Int) {
        precondition(row.count / 4 <= stride && planes.count >= 3 * stride)
        // Sound: the pointers are used within the closure only, and the precondition leaves space for every pixel.
        unsafe row.withUnsafeBufferPointer { row in
            unsafe planes.withUnsafeMutableBufferPointer { planes in
                if isLinear {
                    unsafe deinterleave_light(
                        row.baseAddress, row.count / 4, LinearLight.ofValues, planes.baseAddress, stride)
                } else {
                    unsafe deinterleave_opaque(instructions, row.baseAddress, row.count / 4, planes.baseAddress, stride)
                }
            }
        }
    }

    /// Splits a row of RGBA into four planes, each with `stride` samples: premultiplied color (0 to 65,025) or light, and
    /// alpha times 255.
    func deinterleave(_ row: Span<UInt8>, isLinear: Bool, into planes: inout [Float], stride: Int) {
        precondition(row.count / 4 <= stride && planes.count >= 4 * stride)
        // Sound: as above.
        unsafe row.withUnsafeBufferPointer { row in
            unsafe planes.withUnsafeMutableBufferPointer { planes in
                if isLinear {
                    unsafe deinterleave_light_alpha(
                        row.baseAddress, row.count / 4, LinearLight.ofValuesBeforeAlpha, planes.baseAddress, stride)
                } else {
                    unsafe deinterleave_alpha(instructions, row.baseAddress, row.count / 4, planes.baseAddress, stride)
                }
            }
        }
    }

    /// Filters three planes to a row with three floats per pixel. Writes one more float at the end.
    ///
    /// - Parameter starts: The first sample of each pixel, in ascending order. The `weights.stride` samples from there are
    ///   inside the plane.
    func filter(
        _ planes: [Int16], planeStride: Int, starts: [Int32], weights: FixedPointWeights, into pixels: inout [Float],
        at offset: Int
    ) {
        let taps = weights.stride
        precondition(offset >= 0 && taps % Self.opaqueFilterStep == 0)
        Self.check(planes.count / 3, planeStride, starts, taps: taps, weights: weights.weights.count)
        precondition(pixels.count - offset >= starts.count * 3 + 1)
        // Sound: the arrays outlive the call, and the preconditions keep it within them.
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            guard let first = pixels.baseAddress else { return }
            unsafe filter_opaque(
                instructions, planes, planeStride, starts, weights.weights, taps, starts.count, weights.scale,
                first + offset)
        }
    }

    /// Filters four planes of premultiplied color and alpha to a row with four floats per pixel.
    func filter(
        _ planes: [Float], planeStride: Int, starts: [Int32], weights: LanczosWeights, into pixels: inout [Float],
        at offset: Int
    ) {
        let taps = weights.stride
        precondition(offset >= 0 && taps % Self.alphaFilterStep == 0)
        Self.check(planes.count / 4, planeStride, starts, taps: taps, weights: weights.weights.count)
        precondition(pixels.count - offset >= starts.count * 4)
        // Sound: as above.
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            guard let first = pixels.baseAddress else { return }
            unsafe filter_alpha(
                instructions, planes, planeStride, starts, weights.weights, taps, starts.count, first + offset)
        }
    }

    /// Checks the bounds. `starts` is in ascending order, so checking its first and last elements is enough.
    private static func check(_ planeCount: Int, _ stride: Int, _ starts: [Int32], taps: Int, weights: Int) {
        precondition(planeCount >= stride && weights >= starts.count * taps)
        precondition(starts.isEmpty || (starts[0] >= 0 && Int(starts[starts.count - 1]) + taps <= stride))
    }

    /// Replaces `sums` by the weighted sum of the rows at `offsets`, which are as long as `sums`. The weights start at
    /// `firstWeight`.
    func sum(
        _ rows: [Float], at offsets: [Int], weights: [Float], from firstWeight: Int, into sums: inout [Float]
    ) {
        precondition(sums.count % Int(sum_step) == 0)
        precondition(offsets.allSatisfy { $0 >= 0 && $0 <= rows.count - sums.count })
        precondition(firstWeight >= 0 && weights.count - firstWeight >= offsets.count)
        // Sound: the arrays outlive the call, and by the preconditions rows and weights are inside them.
        unsafe weights.withUnsafeBufferPointer { weights in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                guard let first = weights.baseAddress else { return }
                unsafe sum_rows(
                    instructions, rows, offsets, first + firstWeight, offsets.count, sums.baseAddress, sums.count)
            }
        }
    }

    /// Rounds a row of floats to straight RGBA. Transparent pixels become zeros.
    func finish(_ samples: [Float], isPremultiplied: Bool, isLinear: Bool, into bytes: inout [UInt8]) {
        precondition(
            bytes.count % 4 == 0
                && samples.count >= Self.sampleCount(width: bytes.count / 4, isOpaque: !isPremultiplied))
        // Sound: the arrays outlive the call, and by the precondition there are enough samples.
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            if isLinear {
                unsafe finish_light(samples, isPremultiplied, LinearLight.values, bytes.baseAddress, bytes.count / 4)
            } else {
                unsafe finish_row(instructions, samples, isPremultiplied, bytes.baseAddress, bytes.count / 4)
            }
        }
    }
}
