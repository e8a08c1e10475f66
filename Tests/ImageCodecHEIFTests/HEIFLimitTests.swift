#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: limits, damage and cancellation")
    struct HEIFLimitTests {
        private static func grid() throws -> Data {
            try #require(try GeneratedImage.all().first { $0.format == .heic && $0.name == "grid" }).data
        }

        private func failure(_ data: Data, _ limits: DecodingLimits) -> ImageDecodingError? {
            heif.failure(data, limits: limits)
        }

        @Test("the memory of a row of tiles is limited")
        func memory() throws {
            let found = failure(try Self.grid(), DecodingLimits(decodedByteLimit: 20_000))
            guard case .limitExceeded(.decodedBytes, _, 20_000) = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(failure(try Self.grid(), DecodingLimits(decodedByteLimit: 100_000)) == nil)
            // Decoding needs more than what is held while rows are delivered.
            let image = try heif.open(Self.grid())
            let held = image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8)
            #expect(failure(try Self.grid(), DecodingLimits(decodedByteLimit: held)) != nil)
        }

        private static let tile = Result {
            try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
        }

        /// Returns a grid of equal tiles.
        private func grid(
            _ tile: HEIFBuilder.Coded, columns: Int, rows: Int, change: (inout HEIFBuilder) -> Void = { _ in }
        ) -> Data {
            var builder = HEIFBuilder()
            let tiles = (0..<columns * rows).map { _ in builder.image(tile) }
            let size = PixelSize(width: 64 * columns, height: 64 * rows)
            builder.primary = builder.grid(tiles, columns: columns, size: size)
            change(&builder)
            return builder.file()
        }

        @Test("decoding a tile needs its samples twice, its blocks and its data, beside the rows of tiles")
        func workingMemory() throws {
            let tile = try Self.tile.get()
            let file = grid(tile, columns: 2, rows: 1)
            let image = try heif.open(file)
            // A tile of 6,144 bytes, and 80 rows of 128 pixels.
            let held = 6144 + 128 * 80 * 3 / 2
            #expect(image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8) == held)
            let needed = held + 6144 + 4096 * 3 / 2 + 3 * tile.data.count
            #expect(failure(file, DecodingLimits(decodedByteLimit: needed)) == nil)
            #expect(
                failure(file, DecodingLimits(decodedByteLimit: needed - 1))
                    == .limitExceeded(.decodedBytes, value: needed, allowed: needed - 1))
        }

        @Test("alpha that is no grid needs more memory than a row of tiles")
        func alphaMemory() throws {
            let tile = try Self.tile.get()
            let size = PixelSize(width: 256, height: 256)
            let alpha = try TestPlanes(size: size, chroma: 0, bitDepth: 8).encoded()
            let file = grid(tile, columns: 4, rows: 4) { builder in
                let type = Data(count: 4) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8)
                let mask = builder.image(alpha, properties: [builder.property("auxC", type)])
                builder.reference("auxl", from: mask, to: [builder.primary])
            }
            let image = try heif.open(file)
            let held = 6144 + 256 * 80 * 3 / 2
            #expect(image.heldByteCount(frame: 0, size: size, layout: .rgba8) == held + size.area)
            let needed = held + size.area * 5 / 2 + 3 * alpha.data.count
            #expect(failure(file, DecodingLimits(decodedByteLimit: needed)) == nil)
            #expect(
                failure(file, DecodingLimits(decodedByteLimit: needed - 1))
                    == .limitExceeded(.decodedBytes, value: needed, allowed: needed - 1))
        }

        @Test("an image has the layout of its header or RGBA")
        func layouts() throws {
            let image = try heif.open(Self.grid())
            for layout in [PixelLayout.gray8, .rgba16] {
                #expect(throws: ImageDecodingError.unsupported(.heic, "the image can only be decoded as RGBA")) {
                    try heif.pixels(image, layout: layout)
                }
            }
        }

        @Test("encrypted items and items in other files are refused")
        func otherItems() throws {
            var builder = HEIFBuilder(idLength: 4)
            builder.image(try Self.tile.get())
            let file = builder.file()
            func changed(_ box: String, _ offset: Int, to byte: UInt8) throws -> Data {
                var changed = file
                changed[try #require(file.firstRange(of: Data(box.utf8))).upperBound + offset] = byte
                return changed
            }
            try #require(failure(file, .default) == nil)
            // The entry has a version and the number of the item before its protection.
            #expect(
                try failure(changed("infe", 4 + 4 + 1, to: 1), .default) == .unsupported(.heic, "an encrypted image"))
            // The table has 10 bytes before the number of the item and where its data is.
            #expect(
                try failure(changed("iloc", 10 + 4 + 1, to: 2), .default)
                    == .unsupported(.heic, "an item in another item or file"))
        }

        @Test("a coded size in the bitstream that differs from the header is malformed")
        func hugeCoding() throws {
            var builder = HEIFBuilder()
            let coded = try TestPlanes(size: PixelSize(width: 512, height: 512), chroma: 1, bitDepth: 8).encoded()
            builder.image(.init(coded, size: PixelSize(width: 64, height: 64)))
            let expected = ImageDecodingError.malformed(.heic, "the size of an image is not that of its coding")
            #expect(failure(builder.file(), .default) == expected)
        }

        @Test("more pictures than one are refused, because each costs a whole image")
        func manyPictures() throws {
            var builder = HEIFBuilder()
            var coded = try TestPlanes(chroma: 1, bitDepth: 8).encoded()
            coded.data += coded.data
            builder.image(coded)
            #expect(failure(builder.file(), .default) == .malformed(.heic, "an image has several pictures"))
        }

        @Test("more than 10,000 boxes are refused")
        func manyBoxes() throws {
            var builder = HEIFBuilder()
            builder.image(try TestPlanes(chroma: 1, bitDepth: 8).encoded())
            for _ in 0..<10_001 { _ = builder.property("free", Data()) }
            #expect(failure(builder.file(), .default) == .malformed(.heic, "too many boxes, items or references"))
        }

        @Test("tiles that occur twice, or do not cover the image, are malformed")
        func badGrids() throws {
            let coded = try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
            for (tiles, size) in [([1, 1], 128), ([1, 2], 200), ([1, 2], 64), ([1, 9], 128)] {
                var builder = HEIFBuilder()
                builder.image(coded)
                builder.image(coded)
                builder.primary = builder.grid(tiles, columns: 2, size: PixelSize(width: size, height: 64))
                guard case .malformed? = failure(builder.file(), .default) else {
                    Issue.record("a bad grid was accepted: \(tiles), \(size)")
                    continue
                }
            }
            for height in [64, 129] {
                var builder = HEIFBuilder()
                builder.image(coded)
                builder.image(coded)
                builder.primary = builder.grid([1, 2], columns: 1, size: PixelSize(width: 64, height: height))
                #expect(failure(builder.file(), .default) == .malformed(.heic, "the tiles do not cover the image"))
            }
            var single = HEIFBuilder()
            single.image(coded)
            single.primary = single.grid([1], columns: 1, size: PixelSize(width: 64, height: 65))
            #expect(failure(single.file(), .default) == .malformed(.heic, "a tile is smaller than its image"))
        }

        /// Returns the NAL units of an image.
        private func units(of data: Data) -> [Data] {
            var (units, rest) = ([Data](), data)
            while rest.count > 4 {
                let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                units.append(Data(rest.dropFirst(4).prefix(length)))
                rest = rest.dropFirst(4 + length)
            }
            return units
        }

        private func file(_ coded: HEIFBuilder.Coded) -> Data {
            var builder = HEIFBuilder()
            builder.image(coded)
            return builder.file()
        }

        @Test("repeated parameter sets, and slices that depend on other images, are refused")
        func codings() throws {
            let coded = try TestPlanes(chroma: 1, bitDepth: 8).encoded()
            for (count, text) in [
                (2, "an image has 2 sequence parameter sets"), (34, "an image has too many parameter sets"),
            ] {
                var repeated = coded
                repeated.configuration[22] *= UInt8(count)
                for _ in 1..<count { repeated.configuration += coded.configuration.dropFirst(23) }
                #expect(failure(file(repeated), .default) == .malformed(.heic, text))
            }
            var dependent = coded
            dependent.data = Data(
                units(of: coded.data).map { HEIFBuilder.number($0.count) + [2] + $0.dropFirst() }.joined())
            let expected = ImageDecodingError.unsupported(.heic, "an image that depends on other images")
            #expect(failure(file(dependent), .default) == expected)
        }

        @Test("tiles of several codings or of another size than they declare are malformed")
        func otherTiles() throws {
            func failure(_ tiles: [HEIFBuilder.Coded]) -> ImageDecodingError? {
                var builder = HEIFBuilder()
                let ids = tiles.map { builder.image($0) }
                builder.primary = builder.grid(ids, columns: 2, size: PixelSize(width: 128, height: 64))
                return self.failure(builder.file(), .default)
            }
            let tile = try Self.tile.get()
            let deep = try TestPlanes(size: tile.size, chroma: 1, bitDepth: 10).encoded()
            #expect(
                failure([tile, deep]) == .malformed(.heic, "an image has no coding, or tiles of several codings"))
            let other = HEIFBuilder.Coded(tile, size: PixelSize(width: 64, height: 62))
            #expect(
                failure([tile, other])
                    == .malformed(.heic, "the size of an image is not that of its coding"))
        }

        @Test("NAL units of other layers are left out, and parameter sets may be in any order")
        func units() throws {
            var coded = try Self.tile.get()
            let expected = try heif.pixels(file(coded))
            let first = try #require(units(of: coded.data).first)
            let other = Data([first[0], first[1] | 8]) + first.dropFirst(2)
            coded.data = HEIFBuilder.number(other.count) + other + coded.data
            // Each array is a type, a number of units, and one unit after its length.
            var (arrays, rest) = ([Data](), coded.configuration.dropFirst(23))
            while rest.count > 5 {
                let bytes = [UInt8](rest.prefix(5))
                let array = rest.prefix(5 + Int(bytes[3]) << 8 + Int(bytes[4]))
                arrays.append(Data(array))
                rest = rest.dropFirst(array.count)
            }
            try #require(arrays.count >= 3)
            coded.configuration = coded.configuration.prefix(23) + Data(arrays.reversed().joined())
            #expect(try heif.pixels(file(coded)) == expected)
        }

        @Test("NAL units may have lengths of 2 bytes, and an item without a length extends to the end of the file")
        func lengths() throws {
            var coded = try TestPlanes(chroma: 1, bitDepth: 8).encoded()
            var open = file(coded)
            let expected = try heif.pixels(open)
            let table = try #require(open.firstRange(of: Data("iloc".utf8))).upperBound + 8
            open.replaceSubrange(table + 10..<table + 14, with: Data(count: 4))
            #expect(try heif.pixels(open) == expected)
            coded.data = Data(units(of: coded.data).map { HEIFBuilder.number($0.count, 2) + $0 }.joined())
            coded.configuration[21] = 0xFD
            #expect(try heif.pixels(file(coded)) == expected)
        }

        @Test("a grid of a newer version is unsupported")
        func newerGrid() throws {
            var builder = HEIFBuilder()
            let coded = try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
            let tiles = [builder.image(coded), builder.image(coded)]
            builder.primary = builder.grid(tiles, columns: 2, size: PixelSize(width: 128, height: 64))
            var file = builder.file()
            // The 12 bytes of the grid are at the end.
            file[file.count - 12] = 1
            #expect(failure(file, .default) == .unsupported(.heic, "a grid of a newer version"))
        }

        @Test("tiles that share their data are refused if it is longer than the file in total")
        func sharedData() throws {
            let coded = try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
            var (builder, empty) = (HEIFBuilder(), coded)
            empty.data = Data()
            for tile in [coded, empty, empty, empty] { builder.image(tile) }
            builder.primary = builder.grid([1, 2, 3, 4], columns: 2, size: PixelSize(width: 128, height: 128))
            var file = builder.file()
            // The table of locations has 14 bytes for each item, of which the last 8 are the position and the length.
            let table = try #require(file.firstRange(of: Data("iloc".utf8))).upperBound + 8
            for end in [28, 42, 56] {
                file.replaceSubrange(table + end - 8..<table + end, with: file[table + 6..<table + 14])
            }
            #expect(failure(file, .default) == .malformed(.heic, "the data of tiles overlaps"))
        }

        @Test("tiles with alpha of their own and tiles of several color spaces are refused")
        func tiles() throws {
            let coded = try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
            func file(matrices: [Int], hasAlpha: Bool) -> Data {
                var builder = HEIFBuilder()
                let tiles = matrices.map { matrix in
                    let color = HEIFBuilder.color(primaries: 1, transfer: 13, matrix: matrix, isFullRange: true)
                    return builder.image(coded, properties: [builder.property("colr", color)])
                }
                builder.primary = builder.grid(tiles, columns: 2, size: PixelSize(width: 128, height: 64))
                if hasAlpha {
                    let type = Data(count: 4) + Data("urn:mpeg:hevc:2015:auxid:1".utf8) + Data(count: 1)
                    let alpha = builder.image(coded, properties: [builder.property("auxC", type)])
                    builder.reference("auxl", from: alpha, to: [tiles[1]])
                }
                return builder.file()
            }
            #expect(failure(file(matrices: [6, 6], hasAlpha: false), .default) == nil)
            let alpha = failure(file(matrices: [6, 6], hasAlpha: true), .default)
            #expect(alpha == .unsupported(.heic, "tiles with alpha of their own"))
            let colors = failure(file(matrices: [6, 1], hasAlpha: false), .default)
            #expect(colors == .unsupported(.heic, "tiles of several color spaces"))
        }

        @Test("alpha of another size is refused")
        func alphaSize() throws {
            var builder = HEIFBuilder()
            let kind = builder.property("auxC", HEIFBuilder.number(0) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
            builder.image(try TestPlanes(chroma: 1, bitDepth: 8).encoded())
            let mask = TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 0, bitDepth: 8)
            let auxiliary = builder.image(try mask.encoded(), properties: [-kind])
            builder.reference("auxl", from: auxiliary, to: [1])
            #expect(failure(builder.file(), .default) == .unsupported(.heic, "alpha of 64x64 for an image of 128x64"))
        }

        @Test("sequences, other codings and essential properties that are unknown are unsupported")
        func unsupported() throws {
            func isUnsupported(_ data: Data) -> Bool {
                if case .unsupported? = failure(data, .default) { return true }
                return false
            }
            let type = HEIFBuilder.box("ftyp", Data("msf1".utf8) + Data(count: 4) + Data("hevcmsf1".utf8))
            #expect(isUnsupported(type + HEIFBuilder.box("moov", Data(count: 20))))
            var builder = HEIFBuilder()
            builder.item(
                "jpeg", Data([0xFF, 0xD8]),
                properties: [builder.property("ispe", HEIFBuilder.size(PixelSize(width: 1, height: 1)))])
            #expect(isUnsupported(builder.file()))
            let file = try HEIFBuilder.still(TestPlanes(chroma: 1, bitDepth: 8), properties: [("lsel", Data([0, 0]))])
            #expect(isUnsupported(file))
        }

        @Test("a file without a primary image is malformed")
        func noPrimary() throws {
            var builder = HEIFBuilder()
            builder.image(try TestPlanes(chroma: 1, bitDepth: 8).encoded())
            builder.primary = 0
            #expect(failure(builder.file(), .default) == .malformed(.heic, "the file has no primary image"))
        }

        @Test("the complete rows of tiles of a truncated file are delivered")
        func truncation() throws {
            var builder = HEIFBuilder()
            let coded = try TestPlanes(size: PixelSize(width: 64, height: 64), chroma: 1, bitDepth: 8).encoded()
            // The grid's own data is before that of its tiles, as in files of cameras.
            builder.primary = builder.grid([2, 3, 4, 5], columns: 2, size: PixelSize(width: 128, height: 128))
            for _ in 0..<4 { builder.image(coded) }
            let file = builder.file()
            let (all, _) = heif.rows(file)
            try #require(all.count == 128)
            let (rows, failure) = heif.rows(file.prefix(file.count - 5))
            #expect(failure == .truncated(.heic))
            // Row 63 needs the chroma of the next row of tiles.
            #expect(rows == Array(all.prefix(63)))
            #expect(heif.rows(file.prefix(100)).failure == .truncated(.heic))
        }

        @Test("decoding can be cancelled before each tile and each strip")
        func cancellation() throws {
            let file = try Self.grid()
            for count in 1...6 {
                let sink = CancellingSink(atCheck: count)
                let image = try heif.open(file)
                #expect(throws: ImageDecodingError.cancelled) {
                    try image.decode(frame: 0, size: image.header.storedSize, layout: .rgba8, into: sink)
                }
                #expect(sink.checks == count)
            }
        }
    }

    extension HEIFBuilder.Coded {
        /// The same data with another declared size.
        fileprivate init(_ other: Self, size: PixelSize) {
            self = other
            self.size = size
        }
    }
#endif
