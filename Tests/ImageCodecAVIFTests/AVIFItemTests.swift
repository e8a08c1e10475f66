#if AVIF
    import Foundation
    import GeneratedImages
    import ImageCodecAVIF
    import ImageCore
    import Testing

    /// Tests files that libavif 0.11 decodes to wrong pixels without an error, or refuses.
    @Suite("The items and tracks of AVIF")
    struct AVIFItemTests {
        private static let side = 64
        private static let alphaType = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
        private static let depthType = "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"

        /// The content of the property `auxC` of alpha.
        private static let auxiliaryType = Data(count: 4) + Data(alphaType.utf8) + Data(count: 1)

        /// Adds an image of one gray level, and returns its item.
        private static func add(
            _ level: Double, to builder: inout HEIFBuilder, properties: [Int] = [], isAlpha: Bool = false
        ) throws -> Int {
            let image = TestAVIF(side, side, format: isAlpha ? 400 : 420, luma: { _, _ in level })
            let coded = try HEIFBuilder.Coded(
                of: image.file(), size: PixelSize(width: side, height: side), configuration: "av1C")
            let size = builder.property("ispe", HEIFBuilder.size(PixelSize(width: side, height: side)))
            let configuration = builder.property("av1C", coded.configuration)
            return builder.item("av01", coded.data, properties: [size, -configuration] + properties)
        }

        /// Returns a file of two cells beside each other.
        private static func grid(
            _ order: (Int, Int) -> [Int] = { [$0, $1] }, color: (cells: Data?, grid: Data?) = (nil, nil),
            alphaOfCells: Bool = false, alphaOfGrid: Bool = false
        ) throws -> Data {
            var builder = builder()
            let cellColor = color.cells.map { [builder.property("colr", $0)] } ?? []
            let gridColor = color.grid.map { [builder.property("colr", $0)] } ?? []
            let cells = try [0.25, 0.75].map { try add($0, to: &builder, properties: cellColor) }
            let size = PixelSize(width: 2 * side, height: side)
            let grid = builder.grid(order(cells[0], cells[1]), columns: 2, size: size, properties: gridColor)
            builder.primary = grid
            for cell in cells where alphaOfCells {
                let type = builder.property("auxC", auxiliaryType)
                let alpha = try add(0.5, to: &builder, properties: [type], isAlpha: true)
                builder.reference("auxl", from: alpha, to: [cell])
            }
            if alphaOfGrid {
                let type = builder.property("auxC", auxiliaryType)
                let alphas = try [0.5, 1].map { try add($0, to: &builder, properties: [type], isAlpha: true) }
                let alpha = builder.grid(alphas, columns: 2, size: size, properties: [type])
                builder.reference("auxl", from: alpha, to: [grid])
            }
            return builder.file()
        }

        private static func builder(brands: [String] = ["avif", "mif1", "avif", "miaf"]) -> HEIFBuilder {
            HEIFBuilder(brands: brands)
        }

        /// Returns the first and the last pixel of the first row.
        private static func ends(_ data: Data, frame: Int = 0) throws -> [[UInt8]] {
            let image = try avif.open(data)
            let pixels = try avif.pixels(image, frame: frame)
            let last = 4 * (image.header.storedSize.width - 1)
            return [Array(pixels[0..<4]), Array(pixels[last..<last + 4])]
        }

        @Test("the cells of a grid are shown in their order, and are copied to one image")
        func cells() throws {
            let image = try avif.open(Self.grid())
            let held = image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8)
            #expect(held == 2 * 128 * 128 * 3 / 2)
            let ends = try Self.ends(Self.grid())
            #expect(ends[0].largestDifference(to: [64, 64, 64, 255]) <= 2)
            #expect(ends[1].largestDifference(to: [191, 191, 191, 255]) <= 2)
        }

        @Test("cells in another order than their items, or repeated ones, are refused")
        func exchangedCells() throws {
            let expected = ImageDecodingError.unsupported(.avif, "cells in another order than their items")
            #expect(avif.failure(try Self.grid { [$1, $0] }) == expected)
            #expect(avif.failure(try Self.grid { first, _ in [first, first] }) == expected)
        }

        @Test("the alpha of a grid is used, and alpha of cells is refused")
        func alphaOfCells() throws {
            let ends = try Self.ends(Self.grid(alphaOfGrid: true))
            #expect(ends[0].largestDifference(to: [64, 64, 64, 128]) <= 2)
            #expect(ends[1].largestDifference(to: [191, 191, 191, 255]) <= 2)
            let expected = ImageDecodingError.unsupported(.avif, "cells with alpha of their own")
            #expect(avif.failure(try Self.grid(alphaOfCells: true)) == expected)
        }

        @Test("a color of cells that differs from that of their data is refused, unless the grid has its own")
        func colorOfCells() throws {
            func color(_ matrix: Int) -> Data {
                HEIFBuilder.color(primaries: 1, transfer: 13, matrix: matrix, isFullRange: true)
            }
            let expected = ImageDecodingError.unsupported(
                .avif, "cells with another color than that of their AV1 data")
            #expect(avif.failure(try Self.grid(color: (color(6), nil))) == nil)
            #expect(avif.failure(try Self.grid(color: (color(2), nil))) == nil)
            #expect(avif.failure(try Self.grid(color: (color(9), nil))) == expected)
            #expect(avif.failure(try Self.grid(color: (color(9), color(6)))) == nil)
            let profile = Data("prof".utf8) + Data(count: 200)
            #expect(
                avif.failure(try Self.grid(color: (profile, nil)))
                    == .unsupported(.avif, "cells with several color spaces or a profile"))
        }

        @Test("derived images other than grids are refused by name", arguments: ["iden", "iovl", "tmap"])
        func derived(type: String) throws {
            var builder = Self.builder()
            let image = try Self.add(0.5, to: &builder)
            builder.primary = builder.item(type, Data(count: 20))
            builder.reference("dimg", from: builder.primary, to: [image])
            #expect(avif.failure(builder.file()) == .unsupported(.avif, "an image of the type “\(type)”"))
        }

        @Test("an auxiliary image is alpha only if its type says so")
        func depthImage() throws {
            let data = try TestAVIF.detailed(40, 30, hasAlpha: true).file()
            #expect(try avif.open(data).header.hasAlpha)
            #expect(try !avif.open(data.replacing(Self.alphaType, with: Self.depthType)).header.hasAlpha)
        }

        @Test(
            "a clean aperture is cropped, and is made smaller unless it divides chroma samples",
            arguments: [420, 422, 444], [(7, 9), (7, 8), (8, 9)])
        func oddAperture(format: Int, start: (x: Int, y: Int)) throws {
            let image = TestAVIF.detailed(64, 64, format: format)
            let coded = try HEIFBuilder.Coded(
                of: image.file(), size: PixelSize(width: 64, height: 64), configuration: "av1C")
            let crop = PixelSize(width: 41, height: 33)
            // The distance of the centers of the crop and the image, in halves of a pixel.
            let offset = (x: 2 * start.x + crop.width - 64, y: 2 * start.y + crop.height - 64)
            let aperture = HEIFBuilder.aperture(crop, offset: offset)
            var builder = Self.builder()
            let properties = [
                builder.property("ispe", HEIFBuilder.size(PixelSize(width: 64, height: 64))),
                -builder.property("av1C", coded.configuration), -builder.property("clap", aperture),
            ]
            builder.item("av01", coded.data, properties: properties)
            let opened = try avif.open(builder.file())
            #expect(opened.header.storedSize == crop)
            let whole = try avif.pixels(try avif.open(try image.file()))
            let expected = (0..<crop.height).flatMap { row in
                let first = 4 * ((start.y + row) * 64 + start.x)
                return whole[first..<first + 4 * crop.width]
            }
            #expect(try avif.pixels(opened).largestDifference(to: expected) == 0)
            let smaller = opened.decodableSize(covering: PixelSize(width: 5, height: 5))
            let isDivided = format != 444 && start.x % 2 == 1 || format == 420 && start.y % 2 == 1
            #expect(smaller.width == (isDivided ? 41 : 6))
        }

        @Test("a brand after many others makes it AVIF")
        func lateBrand() throws {
            var builder = Self.builder(brands: ["mif1", "mif1", "miaf", "MiHB", "MA1B", "iso8", "avif"])
            _ = try Self.add(0.5, to: &builder)
            #expect(avif.failure(builder.file()) == nil)
        }

        @Test("a meta box that extends to the end of the file is read", arguments: [false, true])
        func openBox(isSlice: Bool) throws {
            var data = try Self.grid()
            let expected = try Self.ends(data)
            let meta = try #require(data.firstRange(of: Data("meta".utf8)))
            data.replaceSubrange(meta.lowerBound - 4..<meta.lowerBound, with: Data(count: 4))
            if isSlice { data = (Data([7]) + data).dropFirst() }
            #expect(try Self.ends(data) == expected)
        }

        /// Returns an animation of two frames. Its movie box is at the end, where it can be changed.
        private static func animation(hasAlpha: Bool = false) throws -> (data: Data, movie: Data) {
            let frames = (1...2).map {
                AnimationFrame(bitmap: Scene.bitmap(40, 30, hasAlpha: hasAlpha, seed: $0), delay: .seconds(1))
            }
            var data = try AVIFEncoder(effort: 1).encode(frames, loopCount: 1, options: .init())
            let name = try #require(data.firstRange(of: Data("moov".utf8)))
            let length = data[name.lowerBound - 4..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            let movie = Data(data[name.upperBound..<name.lowerBound - 4 + length])
            data.replaceSubrange(name, with: Data("free".utf8))
            return (data, movie)
        }

        @Test("the sound of an animation is ignored", arguments: [false, true])
        func sound(isFirst: Bool) throws {
            let (data, movie) = try Self.animation()
            let entry = HEIFBuilder.box("mp4a", Data(count: 28))
            let description = HEIFBuilder.box("stsd", Data([0, 0, 0, 0, 0, 0, 0, 1]) + entry)
            let table = HEIFBuilder.box("minf", HEIFBuilder.box("stbl", description))
            let track = HEIFBuilder.box(
                "trak", HEIFBuilder.box("tkhd", Data(count: 84)) + HEIFBuilder.box("mdia", table))
            let silent = data + HEIFBuilder.box("moov", movie)
            let loud = data + HEIFBuilder.box("moov", isFirst ? track + movie : movie + track)
            #expect(try avif.open(loud).header == (try avif.open(silent).header))
            #expect(try Self.ends(loud, frame: 1) == (try Self.ends(silent, frame: 1)))
        }

        @Test("an auxiliary track is alpha only if its type says so", arguments: ["auxl", "vdep"])
        func depthTrack(reference: String) throws {
            let (data, movie) = try Self.animation(hasAlpha: true)
            #expect(try avif.open(data + HEIFBuilder.box("moov", movie)).header.hasAlpha)
            let changed = movie.replacing(Self.alphaType, with: Self.depthType).replacing("auxl", with: reference)
            let file = data + HEIFBuilder.box("moov", changed)
            #expect(try !avif.open(file).header.hasAlpha)
            #expect(try Self.ends(file, frame: 1).allSatisfy { $0[3] == 255 })
        }
    }

    extension Data {
        /// Returns the data with all occurrences of a text replaced by another one of the same length.
        fileprivate func replacing(_ text: String, with other: String) -> Data {
            var data = self
            while text != other, let range = data.firstRange(of: Data(text.utf8)) {
                data.replaceSubrange(range, with: Data(other.utf8))
            }
            return data
        }
    }
#endif
