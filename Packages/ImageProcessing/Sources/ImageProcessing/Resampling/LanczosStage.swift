package import ImageCore

/// Resizes rows as they arrive, with a three-lobed Lanczos filter, in gamma space like most viewers and browsers, or
/// in linear light.
///
/// The horizontal filter is applied first, so that buffered rows have the width of the output: as many as the filter is
/// high, with 12 bytes per opaque pixel, or 16 with alpha. Color is weighted by alpha. The result has the same bytes on all
/// processors and platforms.
package final class LanczosStage: PixelRowSink {
    private let input: PixelSize
    private let output: PixelSize
    private let isOpaque: Bool
    private let isLinear: Bool
    private let next: any PixelRowSink
    private let kernels: RowKernels
    /// The first input column of each output column, relative to `columns.lowerBound`.
    private let starts: [Int32]
    private let verticalWeights: LanczosWeights
    /// The rows after the horizontal filter, in a ring buffer: input row y is row `y % verticalWeights.count`.
    private var rows: [Float]
    private var sums: [Float]
    /// The input columns that are needed.
    private let columns: Range<Int>

    /// The horizontal weights of opaque images in fixed point, and an input row as planes. Each plane is padded with
    /// zeros for filters that extend beyond it.
    private let opaqueWeights: FixedPointWeights?
    private var planes: [Int16]
    /// The horizontal weights and the planes of images with alpha, premultiplied.
    private let alphaWeights: LanczosWeights?
    private var premultipliedPlanes: [Float]
    private let planeStride: Int
    private var result: [UInt8]
    private var received = 0
    private var emitted = 0

    /// - Parameters:
    ///   - input: The size of the image whose rows are received, in straight RGBA.
    ///   - region: The part of the input that fills the output. It is within the input and not empty.
    ///   - isLinear: Whether the filter is applied to light, by the curve of sRGB and Display P3.
    package convenience init(
        input: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, isLinear: Bool = false,
        next: any PixelRowSink
    ) {
        self.init(
            input: input, region: region, output: output, isOpaque: isOpaque, isLinear: isLinear, next: next,
            kernels: RowKernels())
    }

    init(
        input: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, isLinear: Bool = false,
        next: any PixelRowSink, kernels: RowKernels
    ) {
        self.input = input
        self.output = output
        self.isOpaque = isOpaque
        self.isLinear = isLinear
        self.next = next
        self.kernels = kernels
        let horizontalWeights = LanczosWeights(
            inputCount: input.width, start: region.x, length: region.width, outputCount: output.width)
        verticalWeights = LanczosWeights(
            inputCount: input.height, start: region.y, length: region.height, outputCount: output.height)
        let columns = horizontalWeights.sourceRange
        self.columns = columns
        starts = horizontalWeights.starts.map { $0 - Int32(columns.lowerBound) }
        opaqueWeights =
            isOpaque
            ? FixedPointWeights(horizontalWeights, largestSample: isLinear ? LinearLight.white : 255) : nil
        alphaWeights = isOpaque ? nil : horizontalWeights
        planeStride = columns.count + (opaqueWeights?.stride ?? horizontalWeights.stride) - horizontalWeights.count
        planes = [Int16](repeating: 0, count: isOpaque ? planeStride * 3 : 0)
        premultipliedPlanes = [Float](repeating: 0, count: isOpaque ? 0 : planeStride * 4)
        sums = [Float](repeating: 0, count: RowKernels.sampleCount(width: output.width, isOpaque: isOpaque))
        rows = [Float](repeating: 0, count: sums.count * verticalWeights.count)
        result = [UInt8](repeating: 255, count: output.width * 4)
    }

    package func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        precondition(row.count == input.width * 4, "a row of \(row.count) bytes for an image of \(input)")
        guard emitted < output.height else { return }
        if received >= verticalWeights.starts[emitted] { filter(row) }
        received += 1
        while emitted < output.height, verticalWeights.ends[emitted] <= received {
            let offsets = (verticalWeights.starts[emitted]..<verticalWeights.ends[emitted]).map(offset(ofRow:))
            kernels.sum(
                rows, at: offsets, weights: verticalWeights.weights, from: emitted * verticalWeights.stride, into: &sums
            )
            kernels.finish(sums, isPremultiplied: !isOpaque, isLinear: isLinear, into: &result)
            emitted += 1
            let finished = result
            try next.receive(finished.span)
        }
    }

    private func filter(_ row: Span<UInt8>) {
        let needed = row.extracting(columns.lowerBound * 4..<columns.upperBound * 4)
        if let opaqueWeights {
            kernels.deinterleave(needed, isLinear: isLinear, into: &planes, stride: planeStride)
            kernels.filter(
                planes, planeStride: planeStride, starts: starts, weights: opaqueWeights, into: &rows,
                at: offset(ofRow: Int32(received)))
        } else if let alphaWeights {
            kernels.deinterleave(needed, isLinear: isLinear, into: &premultipliedPlanes, stride: planeStride)
            kernels.filter(
                premultipliedPlanes, planeStride: planeStride, starts: starts, weights: alphaWeights, into: &rows,
                at: offset(ofRow: Int32(received)))
        }
    }

    private func offset(ofRow y: Int32) -> Int { Int(y) % verticalWeights.count * sums.count }
}
