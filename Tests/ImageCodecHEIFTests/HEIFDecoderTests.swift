#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCodecJPEG
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: signature, orientation, color and sizes")
    struct HEIFDecoderTests {
        private static let planes = TestPlanes(chroma: 1, bitDepth: 8)

        @Test("recognizes brands of HEIF and HEVC, at any position in the first 32 bytes, but no AVIF")
        func signature() {
            func file(_ brands: String...) -> Data {
                HEIFBuilder(brands: brands).file().prefix(32)
            }
            let decoder = HEIFDecoder()
            for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"] {
                #expect(decoder.recognizes(file(brand)) && decoder.recognizes(file("abcd", "efgh", brand)))
            }
            #expect(!decoder.recognizes(file("avif", "mif1", "miaf")))
            #expect(!decoder.recognizes(file("mif1", "avif")) && !decoder.recognizes(file("msf1", "avis")))
            #expect(!decoder.recognizes(file("isom", "mp42")))
            #expect(!decoder.recognizes(file("heic").dropFirst(1)))
        }

        /// The properties, and the orientation that turns the stored image upright.
        private static let orientations: [([(String, UInt8)], ImageOrientation)] = [
            ([], .up), ([("irot", 0)], .up), ([("irot", 1)], .left), ([("irot", 2)], .down), ([("irot", 3)], .right),
            ([("imir", 1)], .upMirrored), ([("imir", 0)], .downMirrored),
            ([("irot", 1), ("imir", 1)], .rightMirrored), ([("irot", 1), ("imir", 0)], .leftMirrored),
            ([("irot", 3), ("imir", 1)], .leftMirrored), ([("imir", 1), ("irot", 1)], .leftMirrored),
        ]

        @Test("the orientation is that of the properties, in their order", arguments: orientations.indices)
        func orientation(index: Int) throws {
            let (properties, expected) = Self.orientations[index]
            let file = try HEIFBuilder.still(Self.planes, properties: properties.map { ($0.0, Data([$0.1])) })
            let image = try heif.open(file)
            #expect(image.header.orientation == expected && image.header.storedSize == Self.planes.size)
            #expect(
                try heif.pixels(image) == heif.pixels(heif.open(HEIFBuilder.still(Self.planes))))
        }

        @Test("an image with a rotation and an Exif orientation is turned once")
        func exif() throws {
            let file = try #require(try GeneratedImage.all().first { $0.format == .heic && $0.name == "grid" }).data
            let image = try heif.open(file)
            #expect(image.header.orientation == .right)
            #expect(image.header.storedSize == PixelSize(width: 120, height: 120))
        }

        @Test("the encoder writes each orientation", arguments: ImageOrientation.allCases)
        func encodedOrientation(orientation: ImageOrientation) throws {
            let encoder = HEIFEncoder(orientation: orientation)
            let image = try heif.open(encoder.encode(Scene.bitmap(70, 50), options: EncodingOptions(isLossless: true)))
            #expect(image.header.orientation == orientation)
            #expect(image.header.storedSize == PixelSize(width: 70, height: 50))
            #expect(try heif.pixels(image) == Scene.bitmap(70, 50).pixels)
        }

        @Test("the clean aperture is cut out", arguments: [(0, 0), (10, 6), (11, 7)])
        func aperture(left: Int, top: Int) throws {
            let (size, whole) = (PixelSize(width: 61, height: 41), Self.planes.size)
            let offset = (x: 2 * left + size.width - whole.width, y: 2 * top + size.height - whole.height)
            let aperture = HEIFBuilder.aperture(size, offset: offset)
            let image = try heif.open(HEIFBuilder.still(Self.planes, properties: [("clap", aperture)]))
            try #require(image.header.storedSize == size)
            let all = try heif.pixels(heif.open(HEIFBuilder.still(Self.planes)))
            var expected: [UInt8] = []
            for y in top..<top + size.height {
                let start = (y * whole.width + left) * 4
                expected += all[start..<start + size.width * 4]
            }
            #expect(try heif.pixels(image) == expected)
        }

        @Test(
            "a clean aperture beyond an edge of the image is malformed",
            arguments: [(0, 0), (3, 0), (-3, 0), (0, 3), (0, -3)])
        func badAperture(x: Int, y: Int) throws {
            let size = x == 0 && y == 0 ? PixelSize(width: 129, height: 10) : Self.planes.size
            let aperture = HEIFBuilder.aperture(size, offset: (x, y))
            let file = try HEIFBuilder.still(Self.planes, properties: [("clap", aperture)])
            #expect(heif.rows(file).failure == .malformed(.heic, "the clean aperture exceeds the image"))
        }

        @Test("a clean aperture with a negative divisor is malformed")
        func badFraction() throws {
            let numbers = [-128, -1, 64, 1, 0, 1, 0, 1]
            let aperture = Data(numbers.map { HEIFBuilder.number($0) }.joined())
            let file = try HEIFBuilder.still(Self.planes, properties: [("clap", aperture)])
            #expect(heif.rows(file).failure == .malformed(.heic, "the clean aperture has an invalid fraction"))
        }

        @Test("of several colors, the first one of each kind applies, and an empty profile is none")
        func colors() throws {
            let (first, second) = (Data("prof".utf8) + [1, 2, 3], Data("prof".utf8) + [4, 5, 6])
            let color = HEIFBuilder.color(primaries: 12, transfer: 13, matrix: 6, isFullRange: true)
            func header(_ profiles: [Data]) throws -> ImageHeader {
                try heif.header(
                    of: HEIFBuilder.still(Self.planes, properties: (profiles + [color]).map { ("colr", $0) }))
            }
            #expect(try header([first, second]).colorProfile == Data([1, 2, 3]))
            #expect(try header([Data("prof".utf8)]).color == .sRGB)
        }

        @Test("code points describe the color")
        func codePoints() throws {
            func header(_ primaries: Int, _ transfer: Int) throws -> ImageHeader {
                try heif.open(
                    HEIFBuilder.still(Self.planes, primaries: primaries, transfer: transfer)
                ).header
            }
            for (primaries, transfer) in [(1, 13), (2, 2), (1, 1), (1, 6)] {
                #expect(try header(primaries, transfer).color == .sRGB)
            }
            #expect(try header(12, 13).color == SourceColor(primaries: .displayP3))
            #expect(try header(9, 14).color.primaries.green == .init(x: 0.170, y: 0.797))
            #expect(try header(1, 4).color.transfer == .gamma(2.2))
            #expect(try header(1, 5).color.transfer == .gamma(2.8))
            #expect(try header(1, 8).color.transfer == .gamma(1))
        }

        @Test("HDR has 16 bits and a peak", arguments: [16: TransferFunction.pq, 18: .hlg])
        func hdr(transfer: (key: Int, value: TransferFunction)) throws {
            let planes = TestPlanes(chroma: 3, bitDepth: 10)
            for (properties, peak) in HEIFBuilder.luminances {
                let file = try HEIFBuilder.still(
                    planes, matrix: 9, primaries: 9, transfer: transfer.key, properties: properties)
                let header = try heif.open(file).header
                #expect(header.nativeLayout == .rgba16 && header.color.transfer == transfer.value)
                #expect(header.color.peakLuminance == peak && header.color.primaries.red.x == 0.708)
            }
            let file = try HEIFBuilder.still(planes, matrix: 9, primaries: 9, transfer: transfer.key)
            let pixels = try heif.deepPixels(try heif.open(file))
            for x in 0..<planes.size.width {
                let expected =
                    planes.color(x, 0, weights: (0.2627, 0.0593), isFullRange: true).map { $0 * 257 } + [65_535]
                #expect(zip(pixels[4 * x..<4 * x + 4], expected).allSatisfy { abs(Double($0) - $1) <= 1 }, "\(x)")
            }
        }

        @Test("a gain map is reported, as an item or as Apple's auxiliary image")
        func gainMap() throws {
            for (type, reference, auxiliary) in [
                ("tmap", "dimg", nil), ("hvc1", "auxl", "urn:com:apple:photo:2020:aux:hdrgainmap"),
                ("hvc1", "auxl", "urn:other"), ("hvc1", "dimg", nil),
            ] as [(String, String, String?)] {
                var builder = HEIFBuilder()
                let image = builder.image(try Self.planes.encoded())
                let properties = auxiliary.map { [builder.property("auxC", Data(count: 4) + Data($0.utf8) + [0])] }
                let item = builder.item(type, Data([0]), properties: properties ?? [])
                builder.reference(reference, from: item, to: [image])
                let expected = type == "tmap" || auxiliary?.contains("hdrgainmap") == true
                #expect(try heif.open(builder.file()).header.hasGainMap == expected, "\(type) \(auxiliary ?? "")")
            }
        }

        @Test("an ICC profile is returned, and takes precedence over code points")
        func profile() throws {
            let profile = Data((0..<200).map { UInt8($0) })
            let encoder = HEIFEncoder(colorProfile: profile)
            let file = try encoder.encode(Scene.bitmap(70, 50), options: EncodingOptions())
            #expect(try heif.open(file).header.colorProfile == profile)
            let both = try HEIFBuilder.still(
                Self.planes, primaries: 12, transfer: 16, properties: [("colr", Data("prof".utf8) + profile)])
            let header = try heif.open(both).header
            #expect(header.color == SourceColor(profile: profile))
            let limited = try heif.open(file, limits: DecodingLimits(metadataByteLimit: 199))
            #expect(limited.header.colorProfile == nil)
        }

        @Test("the thumbnail is decoded for speed if it is large enough")
        func thumbnail() throws {
            let file = try #require(try GeneratedImage.all().first { $0.format == .heic && $0.name == "grid" }).data
            let image = try heif.open(file)
            let (small, thumbnail) = (PixelSize(width: 50, height: 50), PixelSize(width: 64, height: 64))
            #expect(image.decodableSize(covering: small, preference: .speed) == thumbnail)
            #expect(image.decodableSize(covering: small, preference: .quality) == image.header.storedSize)
            for larger in [PixelSize(width: 65, height: 1), PixelSize(width: 1, height: 65)] {
                #expect(image.decodableSize(covering: larger, preference: .speed) == image.header.storedSize)
            }
            #expect(try heif.pixels(image, size: thumbnail, preference: .speed).count == thumbnail.area * 4)
        }

        @Test("the largest of several thumbnails is decoded", arguments: [[64, 128], [128, 64]])
        func thumbnails(sides: [Int]) throws {
            var builder = HEIFBuilder()
            for side in [256] + sides {
                let planes = TestPlanes(size: PixelSize(width: side, height: side), chroma: 1, bitDepth: 8)
                let image = builder.image(try planes.encoded())
                if image > 1 { builder.reference("thmb", from: image, to: [1]) }
            }
            let size = try heif.open(builder.file()).decodableSize(
                covering: PixelSize(width: 1, height: 1), preference: .speed)
            #expect(size == PixelSize(width: 128, height: 128))
        }

        @Test(
            "a thumbnail of another color, orientation or shape is not decoded",
            arguments: ["", "colr", "irot", "ispe"])
        func otherThumbnail(difference: String) throws {
            var builder = HEIFBuilder()
            func planes(_ width: Int, _ height: Int) -> TestPlanes {
                TestPlanes(size: PixelSize(width: width, height: height), chroma: 1, bitDepth: 8)
            }
            builder.image(try planes(128, 128).encoded())
            let content = [
                "colr": HEIFBuilder.color(primaries: 12, transfer: 13, matrix: 6, isFullRange: true), "irot": Data([1]),
            ]
            let properties = content[difference].map { [builder.property(difference, $0)] } ?? []
            let coded = try planes(64, difference == "ispe" ? 128 : 64).encoded()
            builder.reference("thmb", from: builder.image(coded, properties: properties), to: [1])
            let size = try heif.open(builder.file()).decodableSize(
                covering: PixelSize(width: 1, height: 1), preference: .speed)
            #expect(size.width == (difference.isEmpty ? 64 : 128))
        }

        @Test("a larger image, a grid and the thumbnail of an image with alpha are no thumbnails")
        func noThumbnails() throws {
            func size(alpha: Bool, _ add: (inout HEIFBuilder) throws -> Int) throws -> PixelSize {
                var builder = HEIFBuilder()
                func planes(_ side: Int, _ chroma: Int) -> TestPlanes {
                    TestPlanes(size: PixelSize(width: side, height: side), chroma: chroma, bitDepth: 8)
                }
                builder.image(try planes(256, 1).encoded())
                if alpha {
                    let kind = builder.property("auxC", Data(count: 4) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
                    builder.reference(
                        "auxl", from: builder.image(try planes(256, 0).encoded(), properties: [kind]), to: [1])
                }
                builder.reference("thmb", from: try add(&builder), to: [1])
                let target = PixelSize(width: 1, height: 1)
                return try heif.open(builder.file()).decodableSize(covering: target, preference: .speed)
            }
            func coded(_ side: Int) throws -> HEIFBuilder.Coded {
                try TestPlanes(size: PixelSize(width: side, height: side), chroma: 1, bitDepth: 8).encoded()
            }
            #expect(try size(alpha: false) { $0.image(try coded(64)) }.width == 64)
            #expect(try size(alpha: true) { $0.image(try coded(64)) }.width == 256)
            #expect(try size(alpha: false) { $0.image(try coded(512)) }.width == 256)
            let grid = try size(alpha: false) { builder in
                let tiles = try (0..<4).map { _ in builder.image(try coded(64)) }
                return builder.grid(tiles, columns: 2, size: PixelSize(width: 128, height: 128))
            }
            #expect(grid.width == 256)
        }

        @Test("a clean aperture after a rotation or a mirroring is refused", arguments: ["irot", "imir"])
        func lateAperture(name: String) throws {
            let aperture = HEIFBuilder.aperture(PixelSize(width: 64, height: 64), offset: (0, 0))
            let file = try HEIFBuilder.still(Self.planes, properties: [(name, Data([1])), ("clap", aperture)])
            #expect(heif.rows(file).failure == .unsupported(.heic, "a clean aperture after a rotation"))
        }

        /// Returns the RGBA samples of an image with alpha.
        private func translucent(transfer: Int, isPremultiplied: Bool, isCropped: Bool) throws -> [Int] {
            var builder = HEIFBuilder()
            let size = PixelSize(width: 64, height: 64)
            let color = HEIFBuilder.color(primaries: 9, transfer: transfer, matrix: 0, isFullRange: true)
            var properties = [builder.property("colr", color)]
            // From column 10 and row 20 on.
            let offset = (x: 2 * 10 + 21 - 64, y: 2 * 20 + 33 - 64)
            let aperture = HEIFBuilder.aperture(PixelSize(width: 21, height: 33), offset: offset)
            if isCropped { properties.append(-builder.property("clap", aperture)) }
            builder.image(try TestPlanes(size: size, chroma: 3, bitDepth: 10).encoded(), properties: properties)
            let kind = builder.property("auxC", HEIFBuilder.number(0) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
            let mask = try TestPlanes(size: size, chroma: 0, bitDepth: 10, seed: 30).encoded()
            let alpha = builder.image(mask, properties: [-kind])
            builder.reference("auxl", from: alpha, to: [1])
            if isPremultiplied { builder.reference("prem", from: 1, to: [alpha]) }
            let image = try heif.open(builder.file())
            return try transfer == 16 ? heif.deepPixels(image) : heif.pixels(image).map(Int.init)
        }

        @Test(
            "with 8 and 16 bits, the clean aperture is cut out of alpha and divided color",
            arguments: [13: 255, 16: 65_535])
        func croppedAlpha(transfer: (key: Int, largest: Int)) throws {
            let (code, largest) = transfer
            let whole = try translucent(transfer: code, isPremultiplied: false, isCropped: false)
            var expected: [Int] = []
            for y in 20..<53 {
                let start = 4 * (64 * y + 10)
                expected += whole[start..<start + 84]
            }
            #expect(try translucent(transfer: code, isPremultiplied: false, isCropped: true) == expected)
            let divided = try translucent(transfer: code, isPremultiplied: true, isCropped: true)
            for index in expected.indices where index % 4 < 3 {
                let alpha = expected[index - index % 4 + 3]
                let value = alpha == 0 ? 0 : min(largest, (expected[index] * largest + alpha / 2) / alpha)
                try #require(divided[index] == value, "sample \(index)")
            }
        }

        @Test("alpha is that of the auxiliary image, and premultiplied color is divided by it")
        func alpha() throws {
            var builder = HEIFBuilder()
            let size = PixelSize(width: 64, height: 64)
            let color = builder.property(
                "colr", HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
            let kind = builder.property("auxC", HEIFBuilder.number(0) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
            let planes = TestPlanes(size: size, chroma: 3, bitDepth: 8)
            let mask = TestPlanes(size: size, chroma: 0, bitDepth: 10, seed: 30)
            builder.image(try planes.encoded(), properties: [color])
            let auxiliary = builder.image(try mask.encoded(), properties: [-kind])
            builder.reference("auxl", from: auxiliary, to: [1])
            let straight = try heif.pixels(heif.open(builder.file()))
            builder.reference("prem", from: 1, to: [auxiliary])
            let image = try heif.open(builder.file())
            #expect(image.header.hasAlpha)
            let divided = try heif.pixels(image)
            for (x, y) in [(0, 0), (10, 20), (63, 63), (31, 5), (50, 40)] {
                let offset = (y * 64 + x) * 4
                let alpha = Double(mask.sample(0, x, y)) / 1023
                #expect(abs(Double(straight[offset + 3]) - 255 * alpha) <= 0.6)
                #expect(straight[offset + 1] == UInt8(planes.sample(0, x, y)))
                let expected =
                    alpha == 0 ? 0 : min(255, Double(planes.sample(0, x, y)) / (Double(straight[offset + 3]) / 255))
                #expect(abs(Double(divided[offset + 1]) - expected) <= 0.6)
            }
        }
    }

    @Suite("HEIF: the encoder")
    struct HEIFEncoderTests {
        @Test("sides have up to 16,384 pixels, and a file names its color space")
        func limitsAndColor() async throws {
            #expect(await HEIFEncoder().failure(16_384, 16) == nil)
            let tooLong = PixelSize(width: 16_385, height: 16)
            #expect(await HEIFEncoder().failure(16_385, 16) == .unsupportedSize(.heic, tooLong))
            let header = try heif.header(of: HEIFEncoder().encode(.displayP3, options: EncodingOptions()))
            #expect(header.color.primaries == .displayP3 && header.color.transfer == .sRGB)
        }

        @Test("more encoded bytes than allowed are rejected")
        func encodedBytes() throws {
            let data = try HEIFEncoder().encode(.displayP3, options: EncodingOptions())
            #expect(heif.failure(data, limits: DecodingLimits(encodedByteLimit: data.count)) == nil)
            #expect(
                heif.failure(data, limits: DecodingLimits(encodedByteLimit: data.count - 1))
                    == .limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1))
        }

        @Test("a lossy file is close to the image, and higher quality is closer")
        func lossy() throws {
            let source = Scene.bitmap(320, 200)
            let ratios = try [0.3, 0.6, 0.95].map { quality in
                let file = try HEIFEncoder().encode(source, options: EncodingOptions(quality: quality))
                return try heif.pixels(file).signalToNoise(to: source.pixels)
            }
            #expect(ratios[0] < ratios[1] && ratios[1] < ratios[2], "\(ratios)")
            #expect(ratios[0] > 24 && ratios[2] > 34, "\(ratios)")
        }

        @Test(
            "a file declares the size of its coded picture, and has the size of the image",
            arguments: [(1, 1), (3, 70), (63, 65), (64, 64), (65, 64), (67, 131), (5000, 2), (2, 5000), (4500, 31)],
            [false, true])
        func sizes(side: (width: Int, height: Int), isLossless: Bool) throws {
            let source = Scene.bitmap(side.width, side.height, hasAlpha: side.width % 2 == 1)
            let file = try HEIFEncoder().encode(source, options: EncodingOptions(isLossless: isLossless))
            let coded = try #require(file.range(of: Data("ispe".utf8)))
            let sides = stride(from: 4, to: 12, by: 4).map { offset in
                file[coded.upperBound + offset..<coded.upperBound + offset + 4].reduce(0) { $0 << 8 | Int($1) }
            }
            // HEVC codes multiples of 8 pixels, of which a file with 4:2:0 can show even numbers. libheif pads to 64.
            #expect(sides.allSatisfy { $0 % 2 == 0 && $0 >= 64 } && sides[0] >= side.width && sides[1] >= side.height)
            let image = try heif.open(file)
            #expect(image.header.size == source.size && image.header.hasAlpha == !source.isOpaque)
            if isLossless { #expect(try heif.pixels(file) == source.pixels) }
        }

        @Test("a quality takes less space than the same quality of a JPEG", arguments: [0.3, 0.5, 0.8, 0.9])
        func scale(quality: Double) throws {
            let source = Scene.bitmap(320, 200)
            let options = EncodingOptions(quality: quality)
            #expect(
                try HEIFEncoder().encode(source, options: options).count
                    < JPEGEncoder().encode(source, options: options).count)
        }
    }
#endif
