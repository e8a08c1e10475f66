import ImageCore

/// Filters each source row across as it comes in, and what is left of it downwards.
///
/// Across first: what has to be kept is then as narrow as the output.
final class LanczosStage: PixelRowSink {
    private let source: PixelSize
    private let output: PixelSize
    private let isOpaque: Bool
    private let next: any PixelRowSink
    private let kernels: RowKernels
    /// The first column that each output column needs, from the first that any needs.
    private let starts: [Int32]
    private let down: LanczosWeights
    private let vertical: any VerticalFilter
    /// The columns of the source that any output pixel needs.
    private let columns: Range<Int>

    /// For opaque images: the weights across as whole numbers, and a source row as planes. Zeros follow each plane, for
    /// filters that reach there.
    private let opaqueAcross: WholeWeights?
    private var planes: [Int16]
    /// The same for images with alpha, premultiplied.
    private let alphaAcross: LanczosWeights?
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
        let across = LanczosWeights(
            sourceCount: source.width, start: region.x, length: region.width, outputCount: output.width)
        down = LanczosWeights(
            sourceCount: source.height, start: region.y, length: region.height, outputCount: output.height)
        let columns = across.sourceRange
        self.columns = columns
        starts = across.starts.map { $0 - Int32(columns.lowerBound) }
        opaqueAcross = isOpaque ? WholeWeights(across) : nil
        alphaAcross = isOpaque ? nil : across
        planeStride = columns.count + (opaqueAcross?.stride ?? across.stride) - across.count
        planes = [Int16](repeating: 0, count: isOpaque ? planeStride * 3 : 0)
        premultipliedPlanes = [Float](repeating: 0, count: isOpaque ? 0 : planeStride * 4)
        let sampleCount = output.width * 4
        result = [UInt8](repeating: 255, count: sampleCount)
        vertical =
            down.count <= KeptRows.highestFilter
            ? KeptRows(down, sampleCount: sampleCount, kernels: kernels)
            : OpenSums(down, sampleCount: sampleCount, kernels: kernels)
    }

    /// Bytes of rows and weights.
    var heldBytes: Int {
        4 * (vertical.heldCount + premultipliedPlanes.count + (alphaAcross?.weights.count ?? 0) + down.weights.count)
            + 2 * (planes.count + (opaqueAcross?.weights.count ?? 0)) + result.count
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        precondition(row.count == source.width * 4, "a row of \(row.count) bytes for an image of \(source)")
        guard emitted < output.height else { return }
        if received >= down.starts[emitted] { filter(row) }
        received += 1
        while emitted < output.height, down.ends[emitted] <= received {
            kernels.finish(vertical.sums(of: emitted), isPremultiplied: !isOpaque, into: &result)
            emitted += 1
            let finished = result
            try next.receive(finished.span)
        }
    }

    func checkCancellation() throws(DecodingFailure) { try next.checkCancellation() }

    private func filter(_ row: Span<UInt8>) {
        let needed = row.extracting(columns.lowerBound * 4..<columns.upperBound * 4)
        vertical.add(row: received) { rows, offset in
            if let opaqueAcross {
                kernels.spread(needed, into: &planes, stride: planeStride)
                kernels.filter(
                    planes, planeStride: planeStride, starts: starts, weights: opaqueAcross, into: &rows, at: offset)
            } else if let alphaAcross {
                kernels.spread(needed, into: &premultipliedPlanes, stride: planeStride)
                kernels.filter(
                    premultipliedPlanes, planeStride: planeStride, starts: starts, weights: alphaAcross, into: &rows,
                    at: offset)
            }
        }
    }
}
