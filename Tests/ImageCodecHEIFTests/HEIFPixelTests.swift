#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: pixels of each coding")
    struct HEIFPixelTests {
        private static let matrices: [(code: Int, weights: (red: Double, blue: Double)?)] = [
            (0, nil), (1, (0.2126, 0.0722)), (2, (0.299, 0.114)), (4, (0.30, 0.11)), (5, (0.299, 0.114)),
            (6, (0.299, 0.114)), (7, (0.212, 0.087)), (9, (0.2627, 0.0593)),
        ]

        @Test(
            "each subsampling, depth and range is converted as in floating point", arguments: [0, 1, 2, 3], [8, 10, 12])
        func codings(chroma: Int, bitDepth: Int) throws {
            for isFullRange in [true, false] {
                try check(TestPlanes(chroma: chroma, bitDepth: bitDepth), matrix: 6, (0.299, 0.114), isFullRange)
            }
        }

        @Test("each matrix is converted as in floating point", arguments: 0..<8)
        func matrix(index: Int) throws {
            let (code, weights) = Self.matrices[index]
            for isFullRange in [true, false] {
                try check(TestPlanes(chroma: 3, bitDepth: 8), matrix: code, weights, isFullRange)
            }
        }

        private func check(
            _ planes: TestPlanes, matrix: Int, _ weights: (red: Double, blue: Double)?, _ isFullRange: Bool
        ) throws {
            let image = try heif.open(HEIFBuilder.still(planes, matrix: matrix, isFullRange: isFullRange))
            #expect(image.header.storedSize == planes.size && !image.header.hasAlpha)
            let pixels = try heif.pixels(image)
            try #require(pixels.count == planes.size.area * 4)
            var largest = 0.0
            for y in 0..<planes.size.height {
                for x in 0..<planes.size.width {
                    let offset = (y * planes.size.width + x) * 4
                    let expected = planes.color(x, y, weights: weights, isFullRange: isFullRange)
                    for channel in 0..<3 {
                        largest = max(largest, abs(Double(pixels[offset + channel]) - expected[channel]))
                    }
                    if pixels[offset + 3] != 255 { largest = 255 }
                }
            }
            #expect(largest <= 1, "chroma \(planes.chroma), \(planes.bitDepth) bits, matrix \(matrix)")
        }

        @Test("without color properties, the range is that of the bitstream")
        func bitstreamColor() throws {
            let planes = TestPlanes(chroma: 3, bitDepth: 8)
            var builder = HEIFBuilder()
            builder.image(try planes.encoded())
            let pixels = try heif.pixels(try heif.open(builder.file()))
            // libheif writes full range into the bitstream.
            let expected = planes.color(5, 5, weights: (0.299, 0.114), isFullRange: true)
            let offset = (5 * planes.size.width + 5) * 4
            #expect((0..<3).allSatisfy { abs(Double(pixels[offset + $0]) - expected[$0]) <= 1 })
        }

        @Test("an unknown matrix is refused")
        func unknownMatrix() throws {
            let file = try HEIFBuilder.still(TestPlanes(chroma: 3, bitDepth: 8), matrix: 14)
            #expect(heif.rows(file).failure == .unsupported(.heic, "the matrix coefficients 14"))
        }

        @Test("decoding in strips of a grid gives the rows of a single image", arguments: 0...3, [64, 640])
        func gridStrips(chroma: Int, width: Int) throws {
            // One image, and the same samples as six tiles. With wide ones, a strip has 51 rows: an odd number.
            let tile = PixelSize(width: width, height: 64)
            let size = PixelSize(width: 2 * tile.width, height: 3 * tile.height)
            let whole = TestPlanes(size: size, chroma: chroma, bitDepth: 8)
            var builder = HEIFBuilder()
            let color = builder.property(
                "colr", HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 6, isFullRange: true))
            builder.primary = try builder.grid(of: whole, tile: tile, properties: [color])
            let tiled = try heif.pixels(builder.file())
            let single = try heif.pixels(HEIFBuilder.still(whole))
            #expect(tiled.largestDifference(to: single) == 0)
        }

        @Test(
            "the clean aperture of a grid may begin below the first row of tiles, with alpha, too",
            arguments: [63, 64, 65, 130])
        func gridAperture(top: Int) throws {
            let (whole, tile) = (PixelSize(width: 128, height: 192), PixelSize(width: 64, height: 64))
            let (left, size) = (20, PixelSize(width: 90, height: 50))
            let offset = (x: 2 * left + size.width - whole.width, y: 2 * top + size.height - whole.height)
            let aperture = HEIFBuilder.aperture(size, offset: offset)
            let images = try [[], [("clap", aperture)]].map { properties in
                var builder = HEIFBuilder()
                let properties = properties.map { -builder.property($0.0, $0.1) }
                let planes = TestPlanes(size: whole, chroma: 1, bitDepth: 8)
                builder.primary = try builder.grid(of: planes, tile: tile, properties: properties)
                let kind = builder.property("auxC", HEIFBuilder.number(0) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
                let mask = TestPlanes(size: whole, chroma: 0, bitDepth: 8, seed: 30)
                let alpha = try builder.grid(of: mask, tile: tile, properties: [-kind])
                builder.reference("auxl", from: alpha, to: [builder.primary])
                return try heif.pixels(builder.file())
            }
            var expected: [UInt8] = []
            for y in top..<top + size.height {
                let start = (y * whole.width + left) * 4
                expected += images[0][start..<start + size.width * 4]
            }
            #expect(images[1].largestDifference(to: expected) == 0)
        }
    }

    extension HEIFBuilder {
        /// Adds planes in tiles.
        fileprivate mutating func grid(of planes: TestPlanes, tile: PixelSize, properties: [Int]) throws -> Int {
            let columns = planes.size.width / tile.width
            var ids: [Int] = []
            for index in 0..<planes.size.area / tile.area {
                let (left, top) = (index % columns * tile.width, index / columns * tile.height)
                ids.append(image(try planes.encoded(left: left, top: top, size: tile)))
            }
            return grid(ids, columns: columns, size: planes.size, properties: properties)
        }
    }

    extension TestPlanes {
        /// Encodes the tile that starts at a pixel.
        fileprivate func encoded(left: Int, top: Int, size: PixelSize) throws -> HEIFBuilder.Coded {
            var tile = self
            tile.size = size
            var samples: [UInt16] = []
            for plane in 0..<(chroma == 0 ? 1 : 3) {
                let (across, down) = plane == 0 ? (1, 1) : (across, down)
                for y in 0..<size.height / down {
                    for x in 0..<size.width / across {
                        samples.append(UInt16(sample(plane, left / across + x, top / down + y)))
                    }
                }
            }
            return try Self.encode(samples, tile)
        }
    }
#endif
