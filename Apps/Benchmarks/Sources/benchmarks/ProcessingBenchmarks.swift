import ImageCore
import ImageProcessing

/// Measures resampling of rows in memory and the processors, without codecs and without comparisons.
enum ProcessingBenchmarks {
    static func run(samples: Int) async throws -> [Figure] {
        try await resampling(samples: samples) + processors(samples: samples)
    }

    private static func resampling(samples: Int) async throws -> [Figure] {
        let sizes = [
            (PixelSize(width: 705, height: 397), PixelSize(width: 300, height: 169)),
            (PixelSize(width: 2560, height: 1600), PixelSize(width: 1080, height: 675)),
            (PixelSize(width: 4000, height: 3000), PixelSize(width: 1080, height: 810)),
            (PixelSize(width: 5000, height: 3000), PixelSize(width: 300, height: 180)),
            (PixelSize(width: 300, height: 200), PixelSize(width: 800, height: 600)),
        ]
        var results: [Figure] = []
        for (source, output) in sizes {
            let pixels = Photograph.bitmap(source).pixels
            for (isOpaque, isLinear) in [(true, false), (false, false), (true, true), (false, true)] {
                let light = isLinear ? ", linear" : ""
                let name = "resampling \(source) to \(output), \(isOpaque ? "opaque" : "with alpha")\(light)"
                results.append(
                    try await Stopwatch.median(name, samples: samples) { _ in
                        try resample(pixels, source, to: output, isOpaque: isOpaque, isLinear: isLinear)
                    })
            }
        }
        return results
    }

    private static func resample(
        _ pixels: [UInt8], _ source: PixelSize, to output: PixelSize, isOpaque: Bool, isLinear: Bool
    ) throws {
        let stage = LanczosStage(
            input: source, region: PixelRegion(source), output: output, isOpaque: isOpaque,
            isLinear: isLinear, next: DiscardingSink())
        let (rows, stride) = (pixels.span, source.width * 4)
        for y in 0..<source.height { try stage.receive(rows.extracting(y * stride..<(y + 1) * stride)) }
    }

    private static func processors(samples: Int) async throws -> [Figure] {
        let image = Photograph.bitmap(PixelSize(width: 2000, height: 1500))
        var processors: [any ImageProcessor] = [1, 1.9, 2, 8, 200].map { GaussianBlurProcessor(sigma: $0) }
        processors += [RoundedCornersProcessor(radius: 40), CircleProcessor()]
        var results: [Figure] = []
        for processor in processors {
            results.append(
                try await Stopwatch.median("\(processor.identifier) of \(image.size)", samples: samples) { _ in
                    _ = try processor.process(image)
                })
        }
        return results
    }
}

/// Discards the rows that it receives.
private final class DiscardingSink: PixelRowSink {
    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {}
}
