import ImageCore
import Testing

@testable import ImageDecoding

@Suite("DownsamplingPlan")
struct DownsamplingPlanTests {
    /// An image, a target and the expected plan. The codec scales to 1/8, 1/4, 1/2 and 1.
    struct Row: CustomTestStringConvertible {
        var stored: (Int, Int)
        var target: ImageTarget?
        var orientation: ImageOrientation
        var output: (Int, Int)
        var codec: (Int, Int)
        var step: DownsamplingPlan.Step

        /// By default, everything that the codec returns is resampled.
        init(
            _ stored: (Int, Int), _ target: ImageTarget?, orientation: ImageOrientation = .up, output: (Int, Int),
            codec: (Int, Int), step: DownsamplingPlan.Step? = nil
        ) {
            self.stored = stored
            self.target = target
            self.orientation = orientation
            self.output = output
            self.codec = codec
            self.step = step ?? DownsamplingPlanTests.resample(0, 0, Double(codec.0), Double(codec.1))
        }

        var testDescription: String {
            "\(stored) \(orientation) to \(target.map { "\($0.mode) \($0.size), \($0.preference)" } ?? "its own size")"
        }

        var plan: DownsamplingPlan {
            let size = PixelSize(width: stored.0, height: stored.1)
            let header = ImageHeader(format: .jpeg, storedSize: size, orientation: orientation)
            return DownsamplingPlan(header: header, target: target) { requested in
                [8, 4, 2, 1].lazy.map(size.divided).first {
                    $0.width >= requested.width && $0.height >= requested.height
                } ?? size
            }
        }
    }

    static func fit(_ width: Int, _ height: Int, upscales: Bool = false) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), upscales: upscales)
    }

    static func fast(_ width: Int, _ height: Int) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), preference: .speed)
    }

    static func fill(_ width: Int, _ height: Int, upscales: Bool = false) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), mode: .fill, upscales: upscales)
    }

    static func resample(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> DownsamplingPlan.Step {
        .resample(PixelRegion(x: x, y: y, width: width, height: height))
    }

    static let rows = [
        Row((640, 480), nil, output: (640, 480), codec: (640, 480), step: .keep),
        Row((640, 480), fit(640, 480), output: (640, 480), codec: (640, 480), step: .keep),
        Row((640, 480), fit(9000, 9000), output: (640, 480), codec: (640, 480), step: .keep),
        // The codec scales down to at least twice the output.
        Row((4000, 3000), fit(300, 300), output: (300, 225), codec: (1000, 750)),
        Row((4800, 3600), fit(300, 300), output: (300, 225), codec: (600, 450)),
        Row((2400, 1800), fast(300, 300), output: (300, 225), codec: (300, 225), step: .keep),
        // Codecs don't average light.
        Row(
            (4000, 3000), ImageTarget(PixelSize(width: 300, height: 300), usesLinearLight: true), output: (300, 225),
            codec: (4000, 3000)),
        // 188 rows are half of 375, rounded up: close enough to twice the output.
        Row((1200, 750), fit(300, 300), output: (300, 188), codec: (600, 375)),
        Row((1200, 750), fit(302, 302), output: (302, 189), codec: (600, 375)),
        Row((1200, 750), fit(310, 310), output: (310, 194), codec: (1200, 750)),
        // Without oversampling, one percent below the output is too small.
        Row((1200, 750), fast(302, 302), output: (302, 189), codec: (600, 375)),
        Row((600, 375), fast(301, 301), output: (301, 188), codec: (600, 375)),
        // The codec's last column covers a part of a pixel only.
        Row((751, 1501), fit(100, 150), output: (75, 150), codec: (188, 376), step: resample(0, 0, 187.75, 375.25)),
        Row((751, 501), fast(376, 376), output: (376, 251), codec: (376, 251), step: resample(0, 0, 375.5, 250.5)),
        // Fill crops the left and right sides, in the codec's coordinates.
        Row((4000, 2000), fill(200, 200), output: (200, 200), codec: (1000, 500), step: resample(250, 0, 500, 500)),
        Row(
            (4000, 2000), fill(200, 200), orientation: .right, output: (200, 200), codec: (1000, 500),
            step: resample(250, 0, 500, 500)),
        Row(
            (4000, 2000), fill(100, 400), orientation: .left, output: (100, 400), codec: (1000, 500),
            step: resample(0, 125, 1000, 250)),
        // Fill without scaling copies whole pixels.
        Row((301, 200), fill(200, 200), output: (200, 200), codec: (301, 200), step: .crop(x: 50, y: 0)),
        Row((300, 201), fill(900, 900), output: (201, 201), codec: (300, 201), step: .crop(x: 49, y: 0)),
        Row(
            (300, 200), fill(600, 600, upscales: true), output: (600, 600), codec: (300, 200),
            step: resample(50, 0, 200, 200)),
        Row((30, 20), fit(60, 60, upscales: true), output: (60, 40), codec: (30, 20)),
        Row((10_000, 1), fit(100, 100), output: (100, 1), codec: (1250, 1), step: resample(0, 0, 1250, 0.125)),
    ]

    @Test("the codec covers the output, and the rest is resampled", arguments: rows)
    func table(_ row: Row) {
        let plan = row.plan
        #expect(plan.output == PixelSize(width: row.output.0, height: row.output.1))
        #expect(plan.codecSize == PixelSize(width: row.codec.0, height: row.codec.1))
        #expect(plan.step == row.step)
    }

    @Test("computes the bytes of the output and the codec")
    func bytes() {
        let row = Row((4000, 3000), Self.fit(300, 300), output: (300, 225), codec: (1000, 750))
        #expect(row.plan.decodedBytes(heldByCodec: 0) == 300 * 225 * 4)
        #expect(row.plan.decodedBytes(heldByCodec: 17) == 300 * 225 * 4 + 17)
        #expect(row.plan.decodedBytes(heldByCodec: .max) == .max)
        let huge = Row((10, 10), Self.fill(.max, .max, upscales: true), output: (.max, .max), codec: (10, 10))
        #expect(huge.plan.decodedBytes(heldByCodec: 0) == .max)
    }
}
