#if HEIF
    import CTestHEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore

    let heif = FileReading(HEIFDecoder())

    /// Planes with a smooth pattern, and their expected conversion to RGB in floating point.
    struct TestPlanes {
        var size = PixelSize(width: 128, height: 64)
        /// 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
        var chroma: Int
        var bitDepth: Int
        /// The first sample of the pattern.
        var seed = 0

        var across: Int { chroma == 3 ? 1 : 2 }
        var down: Int { chroma == 1 ? 2 : 1 }

        /// Returns a sample. All values occur.
        func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
            let largest = 1 << bitDepth - 1
            let wave = (x * (5 + plane) + y * (9 - 2 * plane) + plane * 70 + seed) * (largest / 200)
            let folded = wave % (2 * largest)
            return folded > largest ? 2 * largest - folded : folded
        }

        func encoded() throws -> HEIFBuilder.Coded {
            var samples: [UInt16] = []
            for plane in 0..<(chroma == 0 ? 1 : 3) {
                let (width, height) = plane == 0 ? (size.width, size.height) : (size.width / across, size.height / down)
                for y in 0..<height { for x in 0..<width { samples.append(UInt16(sample(plane, x, y))) } }
            }
            return try Self.encode(samples, self)
        }

        /// Encodes samples in the format of `planes`.
        static func encode(_ samples: [UInt16], _ planes: TestPlanes) throws -> HEIFBuilder.Coded {
            var length = 0
            let (width, height) = (CInt(planes.size.width), CInt(planes.size.height))
            let encoded = unsafe test_heif_encode(
                samples, width, height, CInt(planes.chroma), CInt(planes.bitDepth), &length)
            guard let bytes = unsafe encoded else { throw Failure() }
            defer { unsafe free(bytes) }
            return try HEIFBuilder.Coded(of: unsafe Data(bytes: bytes, count: length), size: planes.size)
        }

        private struct Failure: Error {}

        /// Returns a chroma sample at a pixel: linear between the centers of the samples.
        private func chromaSample(_ plane: Int, _ x: Int, _ y: Int, of size: PixelSize) -> Double {
            func neighbors(_ position: Int, _ step: Int, _ count: Int) -> [(Int, Double)] {
                if step == 1 { return [(position, 1)] }
                let next = position % 2 == 0 ? position / 2 - 1 : position / 2 + 1
                return [(position / 2, 0.75), (min(max(next, 0), count - 1), 0.25)]
            }
            var sum = 0.0
            for (column, horizontal) in neighbors(x, across, size.width / across) {
                for (row, vertical) in neighbors(y, down, size.height / down) {
                    sum += horizontal * vertical * Double(sample(plane, column, row))
                }
            }
            return sum
        }

        /// Returns the RGB of a pixel (H.273, 8.3), not rounded. `weights` are those of red and blue in luma; nil if the planes are green, blue
        /// and red.
        func color(_ x: Int, _ y: Int, weights: (red: Double, blue: Double)?, isFullRange: Bool) -> [Double] {
            let unit = Double(1 << (bitDepth - 8))
            let largest = Double(1 << bitDepth - 1)
            func luma(_ value: Double) -> Double { isFullRange ? value / largest : (value - 16 * unit) / (219 * unit) }
            func difference(_ value: Double) -> Double {
                (value - 128 * unit) / (isFullRange ? largest : 224 * unit)
            }
            let first = luma(Double(sample(0, x, y)))
            guard chroma > 0 else { return [first, first, first].map(Self.clamped) }
            let (second, third) = (chromaSample(1, x, y, of: size), chromaSample(2, x, y, of: size))
            guard let weights else { return [luma(third), first, luma(second)].map(Self.clamped) }
            let red = first + 2 * (1 - weights.red) * difference(third)
            let blue = first + 2 * (1 - weights.blue) * difference(second)
            let green = (first - weights.red * red - weights.blue * blue) / (1 - weights.red - weights.blue)
            return [red, green, blue].map(Self.clamped)
        }

        private static func clamped(_ value: Double) -> Double { min(max(value, 0), 1) * 255 }
    }

    extension HEIFBuilder {
        /// Returns a file with one image.
        static func still(
            _ planes: TestPlanes, matrix: Int = 6, isFullRange: Bool = true, primaries: Int = 1, transfer: Int = 13,
            properties: [(String, Data)] = []
        ) throws -> Data {
            var builder = HEIFBuilder()
            let color = builder.property(
                "colr",
                HEIFBuilder.color(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange))
            let others = properties.map { -builder.property($0.0, $0.1) }
            builder.image(try planes.encoded(), properties: [color] + others)
            return builder.file()
        }
    }
#endif
