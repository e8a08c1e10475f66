public import ImageCore
import ImageTesting

/// The contract of `RowResampler`.
public enum RowResamplerContract {
    /// A resampler under test.
    public typealias Subject = any RowResampler

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("the oversampling is finite and at least 1") { subject in
            try expect(subject.oversampling >= 1 && subject.oversampling.isFinite, "\(subject.oversampling)")
        },
        ContractRule("the resampler produces each output row once, at its full length") { subject in
            for job in jobs {
                let rows = try job.rows(of: subject) { _, _ in [1, 2, 3, 255] }
                try expect(rows.count == job.output.height, "\(job): \(rows.count) rows")
                try expect(rows.allSatisfy { $0.count == job.output.width * 4 }, "\(job): rows of another length")
            }
        },
        ContractRule("an image of a single color keeps its color") { subject in
            for job in jobs {
                for color in [[0, 128, 255, 255], [255, 255, 255, 255], [10, 20, 30, 128]] as [[UInt8]] {
                    let isSame = try job.rows(of: subject, isOpaque: color[3] == 255) { _, _ in color }
                        .allSatisfy { row in row.indices.allSatisfy { row[$0] == color[$0 % 4] } }
                    try expect(isSame, "\(job): another color than \(color)")
                }
            }
        },
        ContractRule("an image that keeps its size is unchanged") { subject in
            let job = Job((13, 9), to: (13, 9))
            for isOpaque in [true, false] {
                let source = (0..<9).map { y in (0..<13).flatMap { noise($0, y, isOpaque: isOpaque) } }
                let rows = try job.rows(of: subject, isOpaque: isOpaque) { noise($0, $1, isOpaque: isOpaque) }
                try expect(rows == source, "the image is changed")
            }
        },
        ContractRule("the resampler produces the same bytes for the same input") { subject in
            for job in jobs {
                let runs = try (0..<3).map { _ in
                    try job.rows(of: subject, isOpaque: false) { noise($0, $1, isOpaque: false) }
                }
                try expect(Set(runs).count == 1, "\(job): different bytes")
            }
        },
        ContractRule("an opaque image stays opaque") { subject in
            for job in jobs {
                let rows = try job.rows(of: subject) { noise($0, $1, isOpaque: true) }
                let alphas = rows.joined().enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
                try expect(alphas.allSatisfy { $0 == 255 }, "\(job): alpha below 255")
            }
        },
        ContractRule("the colors of transparent pixels do not affect the result") { subject in
            for job in jobs {
                let rows = try job.rows(of: subject, isOpaque: false) { x, y in
                    (x + y) % 3 == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0]
                }
                for pixel in pixels(of: rows) where pixel[3] > 0 {
                    try expect(pixel[0] >= 254 && pixel[1] <= 1, "\(job): a pixel became \(pixel)")
                }
            }
        },
        ContractRule("details that are too small for the output are averaged") { subject in
            let job = Job((64, 64), to: (8, 8))
            let rows = try job.rows(of: subject) { x, y in (x + y) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
            for pixel in pixels(of: rows) {
                try expect((115...140).contains(pixel[0]), "a fine checkerboard of black and white became \(pixel)")
            }
        },
        ContractRule("the output is neither mirrored nor shifted") { subject in
            for job in [Job((64, 64), to: (16, 16)), Job((8, 8), to: (32, 32))] {
                let half = job.source.width / 2
                let rows = try job.rows(of: subject) { x, y in [x < half ? 0 : 255, y < half ? 0 : 255, 0, 255] }
                let mirrored = try job.rows(of: subject) { x, y in [x < half ? 255 : 0, y < half ? 255 : 0, 0, 255] }
                let last = job.output.width - 1
                let corners = [rows[0][0], rows[0][1], rows[last][last * 4], rows[last][last * 4 + 1]]
                try expect(corners == [0, 0, 255, 255], "\(job): corners are \(corners)")
                for (pixel, other) in zip(pixels(of: rows), pixels(of: mirrored.map(reversedPixels).reversed())) {
                    let error = max(abs(Int(pixel[0]) - Int(other[0])), abs(Int(pixel[1]) - Int(other[1])))
                    try expect(error <= 1, "\(job): shifted, \(pixel) against \(other)")
                }
            }
        },
        ContractRule("the output shows the region and nothing far from it") { subject in
            let job = Job((80, 80), to: (10, 10), region: PixelRegion(x: 20.5, y: 30.25, width: 20, height: 20))
            let rows = try job.rows(of: subject) { x, y in
                (10..<52).contains(x) && (20..<62).contains(y) ? [0, 200, 0, 255] : [255, 0, 0, 255]
            }
            for pixel in pixels(of: rows) {
                try expect(pixel[0] <= 1 && abs(Int(pixel[1]) - 200) <= 1, "a pixel from outside the region: \(pixel)")
            }
        },
        ContractRule("the resampler rethrows the error of the next stage and stops") { subject in
            let job = Job((40, 40), to: (10, 10))
            let sink = CollectingRowSink(stopsAfter: 4)
            try expect(job.failure(of: subject, into: sink) == .cancelled, "the error was swallowed")
            try expect(sink.offeredCount == 5, "\(sink.offeredCount) rows for a stage that accepts 4")
        },
    ]

    private static let jobs = [
        Job((60, 40), to: (30, 20)), Job((61, 43), to: (15, 11)), Job((9, 7), to: (20, 15)), Job((1, 1), to: (4, 3)),
        Job((100, 3), to: (1, 1)), Job((20, 40), to: (40, 10)),
        Job((60, 40), to: (20, 20), region: PixelRegion(x: 10.25, y: 0, width: 39.5, height: 39.5)),
    ]

    private static func pixels(of rows: [[UInt8]]) -> [[UInt8]] {
        rows.flatMap { row in stride(from: 0, to: row.count, by: 4).map { Array(row[$0..<$0 + 4]) } }
    }

    private static func reversedPixels(_ row: [UInt8]) -> [UInt8] {
        stride(from: row.count - 4, through: 0, by: -4).flatMap { row[$0..<$0 + 4] }
    }

    private static func noise(_ x: Int, _ y: Int, isOpaque: Bool) -> [UInt8] {
        let value = (x * 7919 + y * 104_729) % 65_521
        return [
            UInt8(value % 256), UInt8(value / 256), UInt8(value * 31 % 256), isOpaque ? 255 : UInt8(value * 17 % 256),
        ]
    }

    private struct Job: CustomStringConvertible {
        let source: PixelSize
        let region: PixelRegion
        let output: PixelSize

        init(_ source: (Int, Int), to output: (Int, Int), region: PixelRegion? = nil) {
            self.source = PixelSize(width: source.0, height: source.1)
            self.output = PixelSize(width: output.0, height: output.1)
            self.region = region ?? PixelRegion(self.source)
        }

        var description: String { "\(source) to \(output)" }

        func rows(
            of resampler: any RowResampler, isOpaque: Bool = true, pixel: (Int, Int) -> [UInt8]
        ) throws(DecodingFailure) -> [[UInt8]] {
            let sink = CollectingRowSink()
            try run(resampler, isOpaque: isOpaque, into: sink, pixel: pixel)
            return sink.rows
        }

        func failure(of resampler: any RowResampler, into sink: CollectingRowSink) -> DecodingFailure? {
            do throws(DecodingFailure) {
                try run(resampler, isOpaque: true, into: sink) { _, _ in [1, 2, 3, 255] }
                return nil
            } catch {
                return error
            }
        }

        private func run(
            _ resampler: any RowResampler, isOpaque: Bool, into sink: CollectingRowSink, pixel: (Int, Int) -> [UInt8]
        ) throws(DecodingFailure) {
            let stage = try resampler.makeStage(
                source: source, region: region, output: output, isOpaque: isOpaque, next: sink)
            for y in 0..<source.height {
                let row = (0..<source.width).flatMap { pixel($0, y) }
                try stage.receive(row.span)
            }
        }
    }
}
