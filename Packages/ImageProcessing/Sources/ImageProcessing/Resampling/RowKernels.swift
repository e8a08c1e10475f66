import CImageProcessing

/// The inner loops of resampling, in C for the vector instructions that this processor has. Which those are makes no
/// difference to the result.
struct RowKernels {
    /// Filters across take samples in multiples of these.
    static let opaqueFilterStep = Int(opaque_filter_step)
    static let alphaFilterStep = Int(alpha_filter_step)

    private let instructions: instruction_set

    /// Those for this processor.
    init() { instructions = best_instructions() }

    /// Those that run on every processor of its kind.
    static let portable = RowKernels(instructions_portable)

    private init(_ instructions: instruction_set) { self.instructions = instructions }

    /// Splits a row of opaque RGBA into three planes of colour, each `stride` long.
    func spread(_ row: Span<UInt8>, into planes: inout [Int16], stride: Int) {
        precondition(row.count / 4 <= stride && planes.count >= 3 * stride)
        // Sound: the pointers are used within the closure only, and the precondition leaves space for every pixel.
        unsafe row.withUnsafeBufferPointer { row in
            unsafe planes.withUnsafeMutableBufferPointer { planes in
                unsafe spread_opaque(instructions, row.baseAddress, row.count / 4, planes.baseAddress, stride)
            }
        }
    }

    /// Splits a row of RGBA into four planes, each `stride` long: premultiplied colour (0 to 65,025) and alpha (times 255).
    func spread(_ row: Span<UInt8>, into planes: inout [Float], stride: Int) {
        precondition(row.count / 4 <= stride && planes.count >= 4 * stride)
        // Sound: as above.
        unsafe row.withUnsafeBufferPointer { row in
            unsafe planes.withUnsafeMutableBufferPointer { planes in
                unsafe spread_alpha(instructions, row.baseAddress, row.count / 4, planes.baseAddress, stride)
            }
        }
    }

    /// Filters three planes to a row of four floats a pixel.
    ///
    /// - Parameters:
    ///   - starts: the first sample of each pixel; `stride` of the weights from there on lie within a plane.
    ///   - planeStride: from one plane to the next.
    ///   - offset: where in `pixels` the row begins, not below 0.
    func filter(
        _ planes: [Int16], planeStride: Int, starts: [Int32], weights: WholeWeights, into pixels: inout [Float],
        at offset: Int
    ) {
        let taps = weights.stride
        precondition(offset >= 0 && taps % Self.opaqueFilterStep == 0)
        Self.check(
            planes.count / 3, planeStride, starts, taps: taps, weights: weights.weights.count, pixels.count - offset)
        // Sound: the arrays outlive the call, and the preconditions keep it within them.
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            guard let first = pixels.baseAddress else { return }
            unsafe filter_opaque(
                instructions, planes, planeStride, starts, weights.weights, taps, starts.count, weights.scale,
                first + offset)
        }
    }

    /// The same of four planes of premultiplied colour and alpha.
    func filter(
        _ planes: [Float], planeStride: Int, starts: [Int32], weights: LanczosWeights, into pixels: inout [Float],
        at offset: Int
    ) {
        let taps = weights.stride
        precondition(offset >= 0 && taps % Self.alphaFilterStep == 0)
        Self.check(
            planes.count / 4, planeStride, starts, taps: taps, weights: weights.weights.count, pixels.count - offset)
        // Sound: as above.
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            guard let first = pixels.baseAddress else { return }
            unsafe filter_alpha(
                instructions, planes, planeStride, starts, weights.weights, taps, starts.count, first + offset)
        }
    }

    /// Starts rise, so that the first and the last tell where all lie.
    private static func check(
        _ planeCount: Int, _ stride: Int, _ starts: [Int32], taps: Int, weights: Int, _ pixels: Int
    ) {
        precondition(planeCount >= stride)
        precondition(pixels >= starts.count * 4 && weights >= starts.count * taps)
        precondition(starts.isEmpty || (starts[0] >= 0 && Int(starts[starts.count - 1]) + taps <= stride))
    }

    /// Adds a weighted row to sums, or puts it there when `isFirst`.
    func add(_ row: [Float], weight: Float, isFirst: Bool, to sums: inout [Float]) {
        precondition(row.count == sums.count)
        // Sound: the arrays outlive the call and are equally long.
        unsafe sums.withUnsafeMutableBufferPointer { sums in
            unsafe add_weighted(instructions, row, weight, isFirst, sums.baseAddress, sums.count)
        }
    }

    /// Puts a weighted sum of rows into `sums`.
    ///
    /// - Parameters:
    ///   - offsets: where in `rows` each begins; it is as long as the sums.
    ///   - firstWeight: the place in `weights` of the first row's; those of the others follow.
    func sum(
        _ rows: [Float], at offsets: [Int], weights: [Float], from firstWeight: Int, into sums: inout [Float]
    ) {
        precondition(offsets.allSatisfy { $0 >= 0 && $0 <= rows.count - sums.count })
        precondition(firstWeight >= 0 && weights.count - firstWeight >= offsets.count)
        // Sound: the arrays outlive the call, and by the preconditions rows and weights lie within them.
        unsafe weights.withUnsafeBufferPointer { weights in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                guard let first = weights.baseAddress else { return }
                unsafe sum_rows(
                    instructions, rows, offsets, first + firstWeight, offsets.count, sums.baseAddress, sums.count)
            }
        }
    }

    /// Rounds four floats a pixel to straight RGBA. Where there is no alpha there is no colour.
    func finish(_ pixels: [Float], isPremultiplied: Bool, into bytes: inout [UInt8]) {
        precondition(pixels.count == bytes.count && bytes.count % 4 == 0)
        // Sound: the arrays outlive the call and are equally long.
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe finish_row(instructions, pixels, isPremultiplied, bytes.baseAddress, bytes.count / 4)
        }
    }
}
