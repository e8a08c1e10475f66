import ImageCore

/// Filters each source row horizontally as it arrives, then vertically.
///
/// The horizontal filter is applied first, so that buffered rows have the width of the output.
final class LanczosStage: PixelRowSink {
    private let source: PixelSize
    private let output: PixelSize
    private let isOpaque: Bool
    private let next: any PixelRowSink
    private let kernels: RowKernels
    /// The first source column of each output column, relative to `columns.lowerBound`.
    private let starts: [Int32]
    private let verticalWeights: LanczosWeights
    private let verticalFilter: any VerticalFilter
    /// The source columns that are needed.
    private let columns: Range<Int>

    /// The horizontal weights of opaque images in fixed point, and a source row as planes. Each plane is padded with zeros
    /// for filters that extend beyond it.
    private let opaqueWeights: FixedPointWeights?
    private var planes: [Int16]
    /// The horizontal weights and the planes of images with alpha, premultiplied.
    private let alphaWeights: LanczosWeights?
    private var premultipliedPlanes: [Float]
    private let planeStride: Int
    private var result: [UInt8]
    private var received = 0
    private var emitted = 0

    init(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink,
        kernels: RowKernels = RowKernels()
    ) {
        self.source = source
        self.output = output
        self.isOpaque = isOpaque
        self.next = next
        self.kernels = kernels
        let horizontalWeights = LanczosWeights(
            sourceCount: source.width, start: region.x, length: region.width, outputCount: output.width)
        verticalWeights = LanczosWeights(
            sourceCount: source.height, start: region.y, length: region.height, outputCount: output.height)
        let columns = horizontalWeights.sourceRange
        self.columns = columns
        starts = horizontalWeights.starts.map { $0 - Int32(columns.lowerBound) }
        opaqueWeights = isOpaque ? FixedPointWeights(horizontalWeights) : nil
        alphaWeights = isOpaque ? nil : horizontalWeights
        planeStride = columns.count + (opaqueWeights?.stride ?? horizontalWeights.stride) - horizontalWeights.count
        planes = [Int16](repeating: 0, count: isOpaque ? planeStride * 3 : 0)
        premultipliedPlanes = [Float](repeating: 0, count: isOpaque ? 0 : planeStride * 4)
        let sampleCount = RowKernels.sampleCount(width: output.width, isOpaque: isOpaque)
        result = [UInt8](repeating: 255, count: output.width * 4)
        verticalFilter =
            verticalWeights.count <= BufferedRowFilter.maximumTapCount
            ? BufferedRowFilter(verticalWeights, sampleCount: sampleCount, kernels: kernels)
            : AccumulatingFilter(verticalWeights, sampleCount: sampleCount, kernels: kernels)
    }

    /// The size of the buffered rows and weights in bytes.
    var heldBytes: Int {
        4
            * (verticalFilter.maximumFloatCount + premultipliedPlanes.count + (alphaWeights?.weights.count ?? 0)
                + verticalWeights.weights.count)
            + 2 * (planes.count + (opaqueWeights?.weights.count ?? 0)) + result.count
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        precondition(row.count == source.width * 4, "a row of \(row.count) bytes for an image of \(source)")
        guard emitted < output.height else { return }
        if received >= verticalWeights.starts[emitted] { filter(row) }
        received += 1
        while emitted < output.height, verticalWeights.ends[emitted] <= received {
            kernels.finish(verticalFilter.sums(of: emitted), isPremultiplied: !isOpaque, into: &result)
            emitted += 1
            let finished = result
            try next.receive(finished.span)
        }
    }

    func checkCancellation() throws(DecodingFailure) { try next.checkCancellation() }

    private func filter(_ row: Span<UInt8>) {
        let needed = row.extracting(columns.lowerBound * 4..<columns.upperBound * 4)
        verticalFilter.add(row: received) { rows, offset in
            if let opaqueWeights {
                kernels.deinterleave(needed, into: &planes, stride: planeStride)
                kernels.filter(
                    planes, planeStride: planeStride, starts: starts, weights: opaqueWeights, into: &rows, at: offset)
            } else if let alphaWeights {
                kernels.deinterleave(needed, into: &premultipliedPlanes, stride: planeStride)
                kernels.filter(
                    premultipliedPlanes, planeStride: planeStride, starts: starts, weights: alphaWeights, into: &rows,
                    at: offset)
            }
        }
    }
}
