public import ImageCore

/// A resampler that averages areas: each output pixel is the weighted mean of the source pixels that it covers.
///
/// It stores the whole source, unlike a real resampler.
public struct FakeRowResampler: RowResampler {
    /// The oversampling that the resampler requests.
    public let oversampling: Double

    /// Creates a resampler.
    public init(oversampling: Double = 1) { self.oversampling = oversampling }

    public func makeStage(
        source: PixelSize, region: PixelRegion, output: PixelSize, isOpaque: Bool, next: any PixelRowSink
    ) throws(DecodingFailure) -> any PixelRowSink {
        AveragingStage(source: source, region: region, output: output, next: next)
    }
}

private final class AveragingStage: PixelRowSink {
    private let source: PixelSize
    private let columns: [[(index: Int, weight: Double)]]
    private let lines: [[(index: Int, weight: Double)]]
    private let next: any PixelRowSink
    private var pixels: [UInt8] = []
    private var received = 0

    init(source: PixelSize, region: PixelRegion, output: PixelSize, next: any PixelRowSink) {
        self.source = source
        self.next = next
        columns = Self.footprints(
            start: region.x, length: region.width, count: output.width, sourceCount: source.width)
        lines = Self.footprints(
            start: region.y, length: region.height, count: output.height, sourceCount: source.height)
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        precondition(row.count == source.width * 4, "a row of \(row.count) bytes for \(source.width) pixels")
        precondition(received < source.height, "more rows than the source has")
        for index in row.indices { pixels.append(row[index]) }
        received += 1
        guard received == source.height else { return }
        for line in lines {
            let row = columns.flatMap { average(line: line, column: $0) }
            try next.receive(row.span)
        }
    }

    private func average(line: [(index: Int, weight: Double)], column: [(index: Int, weight: Double)]) -> [UInt8] {
        var sums = SIMD4<Double>()
        var weights = 0.0
        for y in line {
            for x in column {
                let start = (y.index * source.width + x.index) * 4
                let weight = x.weight * y.weight
                let alpha = Double(pixels[start + 3]) * weight
                sums += SIMD4(
                    Double(pixels[start]) * alpha, Double(pixels[start + 1]) * alpha,
                    Double(pixels[start + 2]) * alpha, alpha)
                weights += weight
            }
        }
        guard sums.w > 0 else { return [0, 0, 0, 0] }
        return [sums.x / sums.w, sums.y / sums.w, sums.z / sums.w, sums.w / weights].map { UInt8($0.rounded()) }
    }

    private static func footprints(
        start: Double, length: Double, count: Int, sourceCount: Int
    ) -> [[(index: Int, weight: Double)]] {
        let step = length / Double(count)
        return (0..<count).map { index in
            let from = start + Double(index) * step
            let to = from + step
            let indices = max(0, Int(from))...min(sourceCount - 1, max(Int(from), Int(to.rounded(.up)) - 1))
            return indices.map { ($0, max(1e-9, min(to, Double($0 + 1)) - max(from, Double($0)))) }
        }
    }
}
