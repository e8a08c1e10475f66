#if AVIF
    import CTestAVIF
    import Foundation
    import GeneratedImages
    import ImageCodecAVIF
    import ImageCore
    import ImageTesting
    import Testing

    /// A depth, a chroma format and a range.
    struct AVIFCoding: CustomStringConvertible, Sendable {
        var depth: Int
        var format: Int
        var isFullRange: Bool

        var description: String { "\(depth) bits, \(format), \(isFullRange ? "full" : "limited") range" }

        static let all = [8, 10, 12].flatMap { depth in
            [400, 420, 422, 444].flatMap { format in
                [true, false].map { AVIFCoding(depth: depth, format: format, isFullRange: $0) }
            }
        }
    }

    @Suite("Decoding AVIF")
    struct AVIFDecoderTests {
        @Test("a file is recognized by the brands avif and avis, major or compatible")
        func signature() {
            func fileType(_ brands: String...) -> Data {
                let content = brands[0].utf8 + Data(count: 4) + brands.dropFirst().joined().utf8
                return Data([0, 0, 0, UInt8(content.count + 8)]) + "ftyp".utf8 + content
            }
            let decoder = AVIFDecoder()
            #expect(decoder.recognizes(fileType("avif")) && decoder.recognizes(fileType("avis")))
            #expect(decoder.recognizes(fileType("mif1", "miaf", "avif")))
            #expect(!decoder.recognizes(fileType("mif1", "miaf")) && !decoder.recognizes(fileType("heic", "mif1")))
            #expect(decoder.recognizes(fileType("mif1", "a   ", "b   ", "miaf", "msf1", "MA1B", "MA1A", "avif")))
            // A brand beyond the box, or beyond 128 bytes.
            #expect(!decoder.recognizes(fileType("mif1") + Data("avif".utf8)))
            let many = Data([0, 0, 0, 140]) + "ftypmif1".utf8 + Data(repeating: 0x20, count: 116) + "avif".utf8
            #expect(!decoder.recognizes(many))
            #expect(!decoder.recognizes(Data("avif".utf8)) && !decoder.recognizes(Data()))
        }

        @Test("each coding is converted by the formulas of ITU-T H.273", arguments: AVIFCoding.all)
        func colors(coding: AVIFCoding) throws {
            // The chroma is the same everywhere, so that its interpolation has no effect.
            let (blue, red) = (0.375, 0.625)
            let image = TestAVIF(
                40, 30, depth: coding.depth, format: coding.format, isFullRange: coding.isFullRange,
                luma: { x, y in 0.25 + Double(x + y) / 140 }, chroma: { _, _ in (blue, red) })
            let opened = try avif.open(try image.file())
            #expect(opened.header == ImageHeader(format: .avif, storedSize: PixelSize(width: 40, height: 30)))
            let pixels = try avif.pixels(opened)
            for (index, luma) in image.y.enumerated() {
                let expected = Self.color(
                    luma, image.u.first, image.v.first, depth: coding.depth, isFullRange: coding.isFullRange)
                let found = pixels[4 * index..<4 * index + 4].map(Double.init)
                #expect(found[3] == 255)
                let error = zip(found, expected).map { abs($0 - $1) }.max() ?? 0
                // libyuv converts with factors of 6 bits.
                #expect(error <= 2.6, "pixel \(index): \(found) instead of \(expected)")
            }
        }

        /// Returns red, green and blue from 0 to 255, with the matrix of BT.601 (ITU-T H.273, 8.3).
        private static func color(
            _ luma: UInt16, _ blue: UInt16?, _ red: UInt16?, depth: Int, isFullRange: Bool
        ) -> [Double] {
            let (scale, largest) = (Double(1 << (depth - 8)), Double(1 << depth - 1))
            let y = isFullRange ? Double(luma) / largest : (Double(luma) - 16 * scale) / (219 * scale)
            func difference(_ sample: UInt16?) -> Double {
                guard let sample else { return 0 }
                return (Double(sample) - 128 * scale) / (isFullRange ? largest : 224 * scale)
            }
            let (cb, cr) = (difference(blue), difference(red))
            return [y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb].map {
                min(max(255 * $0, 0), 255)
            }
        }

        @Test(
            "strips have the same bytes as the whole image", arguments: [400, 420, 422, 444], [false, true])
        func strips(format: Int, hasAlpha: Bool) throws {
            for depth in [8, 10] {
                // More rows than two strips, which have half a megabyte each.
                let image = TestAVIF.detailed(2001, 137, depth: depth, format: format, hasAlpha: hasAlpha)
                let data = try image.file()
                let opened = try avif.open(data)
                let whole = try avif.wholeImage(data, size: opened.header.storedSize)
                #expect(try avif.pixels(opened) == whole, "\(depth) bits")
            }
        }

        @Test("alpha is straight at the stored size, also of premultiplied colors", arguments: [false, true])
        func alpha(isPremultiplied: Bool) throws {
            var image = TestAVIF(
                24, 17, matrix: 0, luma: { x, _ in Double(x) / 46 },
                chroma: { x, y in (Double(x) / 46, Double(y) / 46) },
                alpha: { _, y in Double(10 + y) / 30 })
            image.settings.is_premultiplied = isPremultiplied ? 1 : 0
            let opened = try avif.open(try image.file())
            #expect(opened.header.hasAlpha)
            #expect(opened.decodableSize(covering: PixelSize(width: 1, height: 1)) == opened.header.storedSize)
            let pixels = try avif.pixels(opened)
            for index in image.y.indices {
                // With the identity matrix, the planes are green, blue and red.
                let (stored, alpha) = ([image.v[index], image.y[index], image.u[index]], Double(image.a[index]))
                #expect(pixels[4 * index + 3] == UInt8(image.a[index]))
                for channel in 0..<3 {
                    let value = Double(stored[channel]) * (isPremultiplied ? 255 / alpha : 1)
                    #expect(abs(Double(pixels[4 * index + channel]) - min(value, 255)) <= 2)
                }
            }
        }

        @Test("only the clean aperture is delivered", arguments: [420, 444], [8, 10])
        func cleanAperture(format: Int, depth: Int) throws {
            var image = Self.shaded(64, 48, depth: depth, format: format)
            let whole = try avif.pixels(try avif.open(try image.file()))
            // libavif before 1.2 only accepts even sides with 4:2:0.
            let crop = format == 420 ? (x: 6, y: 10, width: 42, height: 34) : (x: 7, y: 9, width: 41, height: 33)
            (image.settings.crop_x, image.settings.crop_y) = (UInt32(crop.x), UInt32(crop.y))
            (image.settings.crop_width, image.settings.crop_height) = (UInt32(crop.width), UInt32(crop.height))
            let opened = try avif.open(try image.file())
            #expect(opened.header.storedSize == PixelSize(width: crop.width, height: crop.height))
            let expected = (0..<crop.height).flatMap { row in
                let start = 4 * ((crop.y + row) * 64 + crop.x)
                return whole[start..<start + 4 * crop.width]
            }
            #expect(try avif.pixels(opened) == expected)
            let half = opened.decodableSize(covering: PixelSize(width: 20, height: 16))
            #expect(half == PixelSize(width: 21, height: 17))
            let means = Self.shrunk(expected, crop.width, crop.height, 2)
            #expect(try avif.pixels(opened, size: half).largestDifference(to: means) <= 2)
        }

        /// Returns the means of blocks of an RGBA image.
        private static func shrunk(_ pixels: [UInt8], _ width: Int, _ height: Int, _ divisor: Int) -> [UInt8] {
            var result: [UInt8] = []
            for top in stride(from: 0, to: height, by: divisor) {
                for left in stride(from: 0, to: width, by: divisor) {
                    let (rows, columns) = (top..<min(top + divisor, height), left..<min(left + divisor, width))
                    for channel in 0..<4 {
                        let count = rows.count * columns.count
                        var sum = 0
                        for y in rows { for x in columns { sum += Int(pixels[4 * (y * width + x) + channel]) } }
                        result.append(UInt8((sum + count / 2) / count))
                    }
                }
            }
            return result
        }

        /// Returns an image in which no color is clipped, so that the mean of the planes gives the mean of the colors.
        private static func shaded(_ width: Int, _ height: Int, depth: Int = 8, format: Int) -> TestAVIF {
            TestAVIF(
                width, height, depth: depth, format: format,
                luma: { x, y in 0.4 + Double((x * 3 + y * 5) % 101) / 500 },
                chroma: { x, y in (0.45 + Double(x) / 100_000, 0.55 - Double(y) / 10_000) })
        }

        @Test("smaller sizes are the means of blocks", arguments: AVIFCoding.all.filter(\.isFullRange))
        func smaller(coding: AVIFCoding) throws {
            let image = Self.shaded(203, 101, depth: coding.depth, format: coding.format)
            let opened = try avif.open(try image.file())
            let whole = try avif.pixels(opened)
            for (divisor, width, height) in [(2, 102, 51), (4, 51, 26), (8, 26, 13)] {
                let size = PixelSize(width: width, height: height)
                #expect(opened.decodableSize(covering: size) == size)
                #expect(opened.decodableSize(covering: PixelSize(width: width + 1, height: 1)) != size)
                let error = try avif.pixels(opened, size: size).largestDifference(
                    to: Self.shrunk(whole, 203, 101, divisor))
                // The samples of gray are the colors, so their means are exact.
                let isExact = coding.format == 400 && coding.depth == 8
                #expect(error <= (isExact ? 0 : 2), "1/\(divisor): \(error)")
            }
            #expect(opened.decodableSize(covering: PixelSize(width: 103, height: 1)) == opened.header.storedSize)
        }

        @Test(
            "the range and the matrix of an image apply to its smaller sizes",
            arguments: AVIFCoding.all.filter { !$0.isFullRange })
        func smallerRange(coding: AVIFCoding) throws {
            // Each half has one color, so that the means of blocks are exact.
            let data = try TestAVIF(
                64, 64, depth: coding.depth, format: coding.format, isFullRange: false, matrix: 1,
                luma: { _, y in y < 32 ? 0.25 : 0.75 }, chroma: { _, _ in (0.5, 0.625) }
            ).file()
            let whole = try avif.pixels(data)
            for divisor in [2, 4, 8] {
                // Opens the file anew: an opened image may remember the range from an earlier conversion.
                let smaller = try avif.pixels(data, size: PixelSize(width: 64 / divisor, height: 64 / divisor))
                let error = smaller.largestDifference(to: Self.shrunk(whole, 64, 64, divisor))
                #expect(error <= 2, "1/\(divisor): \(error)")
            }
        }

        @Test("a frame, a size or a layout that an image doesn't have is refused")
        func refused() throws {
            let opened = try avif.open(try Self.shaded(64, 48, format: 420).file())
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) { try avif.pixels(opened, frame: 1) }
            #expect(throws: ImageDecodingError.noSuchFrame(-1, frameCount: 1)) { try avif.pixels(opened, frame: -1) }
            let (size, other) = (opened.header.storedSize, PixelSize(width: 33, height: 24))
            for (size, layout) in [(other, PixelLayout.rgba8), (size, .rgba16)] {
                let text = "the image can't be decoded at \(size) in this layout"
                #expect(throws: ImageDecodingError.unsupported(.avif, text)) {
                    try avif.pixels(opened, size: size, layout: layout)
                }
            }
        }

        @Test("strips of smaller sizes have the rows of the whole image")
        func smallerStrips() throws {
            // A strip has 16 rows.
            let opened = try avif.open(try Self.shaded(7997, 81, format: 420).file())
            let half = try avif.pixels(opened, size: PixelSize(width: 3999, height: 41))
            let means = Self.shrunk(try avif.pixels(opened), 7997, 81, 2)
            #expect(half.largestDifference(to: means) <= 2)
        }
    }
#endif
