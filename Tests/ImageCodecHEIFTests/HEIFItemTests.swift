#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: items and their properties")
    struct HEIFItemTests {
        private static let tile = Result { try planes(64, 64).encoded() }

        private static func planes(_ width: Int, _ height: Int, chroma: Int = 1, seed: Int = 0) -> TestPlanes {
            TestPlanes(size: PixelSize(width: width, height: height), chroma: chroma, bitDepth: 8, seed: seed)
        }

        private func grid(
            _ tiles: [HEIFBuilder.Coded], columns: Int, size: PixelSize, properties: [(String, Data)] = []
        )
            -> Data
        {
            var builder = HEIFBuilder()
            let added = properties.map { builder.property($0.0, $0.1) }
            let ids = tiles.map { builder.image($0, properties: added) }
            builder.primary = builder.grid(ids, columns: columns, size: size)
            return builder.file()
        }

        @Test("data that is shorter than a file type is truncated, and that of another type malformed")
        func otherData() {
            #expect(heif.failure(Data(count: 31)) == .truncated(.heic))
            #expect(heif.failure(Data(count: 32)) == .malformed(.heic, "the file type is not that of HEIF"))
        }

        @Test("there is one frame, at the stored size")
        func frames() throws {
            let image = try heif.open(HEIFBuilder.still(Self.planes(64, 64)))
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) { try heif.pixels(image, frame: 1) }
            let half = PixelSize(width: 32, height: 32)
            #expect(throws: ImageDecodingError.unsupported(.heic, "the image can't be decoded at \(half)")) {
                try heif.pixels(image, size: half, preference: .speed)
            }
        }

        @Test("the pixels of a still image are limited at their exact number, with those outside of the clean aperture")
        func pixels() throws {
            let aperture = HEIFBuilder.aperture(PixelSize(width: 8, height: 8), offset: (0, 0))
            for properties in [[], [("clap", aperture)]] {
                let file = try HEIFBuilder.still(Self.planes(64, 64), properties: properties)
                #expect(heif.failure(file, limits: DecodingLimits(maxPixels: 4_096)) == nil)
                #expect(
                    heif.failure(file, limits: DecodingLimits(maxPixels: 4_095))
                        == .limitExceeded(.pixels, value: 4_096, allowed: 4_095))
            }
        }

        @Test("a thumbnail above the limits is ignored")
        func largeThumbnail() throws {
            var builder = HEIFBuilder()
            builder.image(try Self.tile.get())
            let aperture = HEIFBuilder.aperture(PixelSize(width: 32, height: 32), offset: (0, 0))
            let thumbnail = builder.image(
                try Self.planes(128, 128).encoded(), properties: [-builder.property("clap", aperture)])
            builder.reference("thmb", from: thumbnail, to: [1])
            for (maxPixels, side) in [(16_384, 32), (16_383, 64)] {
                let image = try heif.open(builder.file(), limits: DecodingLimits(maxPixels: maxPixels))
                let size = image.decodableSize(covering: PixelSize(width: 1, height: 1), preference: .speed)
                #expect(size == PixelSize(width: side, height: side))
            }
        }

        @Test("a thumbnail as large as the image doesn't replace it")
        func sameSize() throws {
            var builder = HEIFBuilder()
            builder.image(try Self.tile.get())
            let expected = try heif.pixels(builder.file())
            builder.reference("thmb", from: builder.image(try Self.planes(64, 64, seed: 50).encoded()), to: [1])
            let image = try heif.open(builder.file())
            #expect(try heif.pixels(image, preference: .speed).largestDifference(to: expected) == 0)
        }

        @Test("a thumbnail has the shape of the image within one percent", arguments: [252: 256, 254: 254])
        func shape(thumbnail: (height: Int, used: Int)) throws {
            var builder = HEIFBuilder()
            builder.image(try Self.planes(256, 256, chroma: 0).encoded())
            let small = try Self.planes(256, thumbnail.height, chroma: 0).encoded()
            builder.reference("thmb", from: builder.image(small), to: [1])
            let size = try heif.open(builder.file()).decodableSize(
                covering: PixelSize(width: 1, height: 1), preference: .speed)
            #expect(size == PixelSize(width: 256, height: thumbnail.used))
        }

        @Test("a grid without a color or a profile has those of its tiles")
        func colorOfTiles() throws {
            let tile = try Self.tile.get()
            let size = PixelSize(width: 128, height: 64)
            let color = HEIFBuilder.color(primaries: 12, transfer: 13, matrix: 6, isFullRange: true)
            let colored = try heif.header(
                of: grid([tile, tile], columns: 2, size: size, properties: [("colr", color)]))
            #expect(colored.color == SourceColor(primaries: .displayP3))
            let profile = Data("rICC".utf8) + [1, 2, 3]
            let profiled = try heif.header(
                of: grid([tile, tile], columns: 2, size: size, properties: [("colr", profile)]))
            #expect(profiled.colorProfile == Data([1, 2, 3]))
        }

        @Test("the size may be that before or after the clean aperture, and after the rotation", arguments: 0...3)
        func declaredSize(index: Int) throws {
            let sizes = [(64, 64), (40, 20), (20, 40), (40, 40)].map { PixelSize(width: $0, height: $1) }
            var builder = HEIFBuilder()
            let aperture = builder.property("clap", HEIFBuilder.aperture(sizes[1], offset: (0, 0)))
            let rotation = builder.property("irot", Data([1]))
            var coded = try Self.tile.get()
            coded.size = sizes[index]
            builder.image(coded, properties: [-aperture, -rotation])
            let expected: ImageDecodingError? =
                index < 3 ? nil : .malformed(.heic, "the size of an image is not that of its coding")
            #expect(heif.failure(builder.file()) == expected)
        }

        @Test("reserved bits of a rotation and a mirroring are ignored, and other colors and unknown properties too")
        func reserved() throws {
            func file(_ name: String, _ content: Data) throws -> Data {
                var builder = HEIFBuilder()
                builder.image(try Self.tile.get(), properties: [builder.property(name, content)])
                return builder.file()
            }
            #expect(try heif.header(of: file("irot", Data([0xFD]))).orientation == .left)
            #expect(try heif.header(of: file("imir", Data([0xFF]))).orientation == .upMirrored)
            for (name, content) in [("colr", Data("nclc\0\u{9}\0\u{10}\0\u{9}".utf8)), ("abcd", Data([1]))] {
                #expect(try heif.header(of: file(name, content)).color == .sRGB, "\(name)")
            }
            // Those that describe the image may be essential.
            for name in ["pixi", "pasp", "udes", "altt"] {
                #expect(
                    heif.failure(try HEIFBuilder.still(Self.planes(64, 64), properties: [(name, Data([1]))])) == nil)
            }
        }

        @Test("a clean aperture of parts of pixels is rounded down")
        func fractions() throws {
            // 40.5 by 20.75 pixels around the center: from column 11.75 and row 21.625 on.
            let numbers = [81, 2, 83, 4, 0, 1, 0, 1]
            let aperture = Data(numbers.map { HEIFBuilder.number($0) }.joined())
            let image = try heif.open(HEIFBuilder.still(Self.planes(64, 64), properties: [("clap", aperture)]))
            #expect(image.header.storedSize == PixelSize(width: 40, height: 20))
            let all = try heif.pixels(HEIFBuilder.still(Self.planes(64, 64)))
            let start = 4 * (64 * 21 + 11)
            #expect(try heif.pixels(image).prefix(160).largestDifference(to: all[start..<start + 160]) == 0)
        }

        @Test("data is in the idat box, and doesn't go on behind it")
        func itemData() throws {
            let coded = try Self.tile.get()
            var builder = HEIFBuilder(idLength: 4)
            builder.image(coded)
            func file(missing: Int) throws -> Data {
                var file = builder.file()
                let meta = try #require(file.firstRange(of: Data("meta".utf8)))
                let data = try #require(file.firstRange(of: Data("mdat".utf8)))
                let locations = try #require(file.firstRange(of: Data("iloc".utf8))).upperBound
                // The entry follows a version, the lengths and a count: an item, where its data is, a source, a count, a position.
                file[locations + 10 + 4 + 1] = 1
                file.replaceSubrange(locations + 10 + 10..<locations + 10 + 14, with: HEIFBuilder.number(0))
                // Another box follows, whose bytes are not data.
                let content = HEIFBuilder.box("idat", coded.data.dropLast(missing)) + HEIFBuilder.box("free", Data())
                let box = HEIFBuilder.box("meta", file[meta.upperBound..<data.lowerBound - 4] + content)
                return file[..<(meta.lowerBound - 4)] + box
            }
            #expect(try heif.failure(file(missing: 0)) == nil)
            let expected = ImageDecodingError.malformed(.heic, "the data of an item is not in the idat box")
            #expect(try heif.failure(file(missing: 1)) == expected)
        }

        @Test("a unit that is longer than its item is malformed")
        func longUnit() throws {
            var coded = try Self.tile.get()
            coded.data.replaceSubrange(0..<4, with: HEIFBuilder.number(coded.data.count - 3))
            var builder = HEIFBuilder()
            builder.image(coded)
            #expect(heif.failure(builder.file()) == .malformed(.heic, "a NAL unit exceeds its item"))
        }

        @Test("a grid that ends in its first tile is truncated, not damaged")
        func truncatedGrid() throws {
            let tile = try Self.tile.get()
            let file = grid(Array(repeating: tile, count: 16), columns: 4, size: PixelSize(width: 256, height: 256))
            let data = try #require(file.firstRange(of: Data("mdat".utf8))).upperBound
            try #require(16 * min(tile.data.count, data) > data, "the tiles are too small for the test")
            #expect(heif.failure(file.prefix(data)) == .truncated(.heic))
        }

        @Test("a file with a profile has the code points too, for readers without color management")
        func profileAndCodePoints() throws {
            let file = try HEIFEncoder(colorProfile: Data([1, 2, 3])).encode(
                Scene.bitmap(64, 64), options: EncodingOptions())
            #expect(file.firstRange(of: Data("colrprof".utf8)) != nil)
            #expect(file.firstRange(of: Data("colrnclx".utf8)) != nil)
        }
    }
#endif
