#if HEIF
    import CImageCodecHEIF
    import ISOBoxes
    import ImageCore

    /// An image item: one HEVC image, or a grid of them (ISO/IEC 23008-12, 6.6.2.3).
    struct HEIFImage {
        /// The size before transformations.
        let size: PixelSize
        /// The size according to `ispe`. The specification demands the size before transformations. libheif 1.15 writes the size after
        /// the clean aperture and the rotation.
        let declaredSize: PixelSize
        /// The number of tiles per row; 1 for an image that is no grid.
        let columns: Int
        /// The size of a tile. Tiles at the right and bottom edge may exceed the image.
        let tileSize: PixelSize
        private let tiles: [Tile]

        private struct Tile {
            var item: BoxItems.Item
            var configuration: HEVCConfiguration
        }

        /// The smallest side of a tile. Each tile costs as much as a small image.
        private static let smallestTile = 64

        /// - Throws: `.unsupported` if the item is not HEVC or a grid of HEVC, `.malformed` or `.limitExceeded`.
        init(_ id: Int, in container: HEIFContainer, limits: DecodingLimits) throws(ImageDecodingError) {
            guard let item = container.items[id] else { throw .malformed(.heic, "an image is missing") }
            guard !item.isProtected else { throw .unsupported(.heic, "an encrypted image") }
            declaredSize = try Self.size(of: item, in: container)
            let isGrid = item.type == "grid"
            let ids = isGrid ? container.items.targets(of: id, "dimg") : [id]
            (tiles, tileSize) = try Self.tiles(ids, areWhole: !isGrid, in: container)
            let grid =
                isGrid ? try HEIFGrid(try container.data(of: item)) : HEIFGrid(size: tileSize, columns: 1, rows: 1)
            guard ids.count == grid.columns * grid.rows, Set(ids).count == ids.count else {
                throw .malformed(.heic, "a grid does not match its tiles")
            }
            columns = grid.columns
            size = grid.size
            try check(grid)
            try checkData(in: container)
            try limits.check(size)
        }

        /// Returns the tiles, which must have the same size and coding.
        private static func tiles(
            _ ids: [Int], areWhole: Bool, in container: HEIFContainer
        ) throws(ImageDecodingError) -> (tiles: [Tile], size: PixelSize) {
            var configurations: [Int: HEVCConfiguration] = [:]
            var tiles: [Tile] = []
            for id in ids {
                guard let item = container.items[id] else { throw .malformed(.heic, "a tile is missing") }
                guard item.type == "hvc1" else { throw .unsupported(.heic, "the coding “\(item.type)”") }
                let properties = try container.properties(of: item)
                for (property, value) in zip(item.properties, properties) {
                    guard case .hevc(let range) = value else { continue }
                    if configurations[property.index] == nil {
                        configurations[property.index] = try HEVCConfiguration(at: range, of: container.reader)
                    }
                    if let known = configurations[property.index] {
                        tiles.append(Tile(item: item, configuration: known))
                    }
                    break
                }
                let declared = try size(of: item, in: container)
                guard let size = tiles.last?.configuration.sequence.size,
                    areWhole || declared == size
                else {
                    throw .malformed(.heic, "the size of an image is not that of its coding")
                }
            }
            guard let first = tiles.first?.configuration.sequence, tiles.count == ids.count,
                tiles.allSatisfy({ $0.configuration.sequence == first })
            else { throw .malformed(.heic, "an image has no coding, or tiles of several codings") }
            return (tiles, first.size)
        }

        private static func size(of item: BoxItems.Item, in container: HEIFContainer) throws(ImageDecodingError)
            -> PixelSize
        {
            for property in try container.properties(of: item) {
                if case .size(let size) = property, size.width > 0, size.height > 0 { return size }
            }
            throw .malformed(.heic, "an image has no size")
        }

        private func check(_ grid: HEIFGrid) throws(ImageDecodingError) {
            guard tiles.count > 1 else {
                guard tileSize.width >= size.width, tileSize.height >= size.height else {
                    throw .malformed(.heic, "a tile is smaller than its image")
                }
                return
            }
            let (width, height) = (tileSize.width, tileSize.height)
            guard min(width, height) >= Self.smallestTile, width % 2 == 0, height % 2 == 0 else {
                throw .unsupported(.heic, "tiles of \(tileSize)")
            }
            guard width * (grid.columns - 1) < size.width, width * grid.columns >= size.width,
                height * (grid.rows - 1) < size.height, height * grid.rows >= size.height
            else { throw .malformed(.heic, "the tiles do not cover the image") }
        }

        /// Checks that tiles do not share so much data that decoding takes longer than the length of the file explains.
        private func checkData(in container: HEIFContainer) throws(ImageDecodingError) {
            var total = 0
            for tile in tiles {
                for range in try container.ranges(of: tile.item) {
                    total += min(range.count, container.reader.data.count)
                }
            }
            guard total <= container.reader.data.count || tiles.count == 1 else {
                throw isTruncated(in: container) ? .truncated(.heic) : .malformed(.heic, "the data of tiles overlaps")
            }
        }

        private func isTruncated(in container: HEIFContainer) -> Bool {
            tiles.contains { $0.item.extents.contains { $0.upperBound > container.reader.data.count } }
        }
    }

    extension HEIFImage {
        /// The number of rows of tiles.
        var rows: Int { tiles.count / columns }

        /// The format of the samples, the same for all tiles.
        var sequence: HEVCSequence { tiles[0].configuration.sequence }

        /// The properties of each tile.
        func tileProperties(in container: HEIFContainer) throws(ImageDecodingError) -> [[HEIFProperty]] {
            var properties: [[HEIFProperty]] = []
            for tile in tiles { properties.append(try container.properties(of: tile.item)) }
            return properties
        }

        /// Decodes a tile. Throws `.truncated` if its data exceeds the file.
        func decodeTile(_ index: Int, in container: HEIFContainer) throws(ImageDecodingError) -> HEIFPlanes {
            let (item, configuration) = (tiles[index].item, tiles[index].configuration)
            return try HEIFPlanes(
                decoding: try configuration.slices(in: try container.data(of: item)),
                parameterSets: configuration.parameterSets, as: configuration.sequence)
        }

        /// The length of the longest tile's data in bytes.
        func largestTileLength(in container: HEIFContainer) -> Int {
            tiles.map { tile in tile.item.extents.reduce(0) { $0 + min($1.count, container.reader.data.count) } }.max()
                ?? 0
        }
    }

    /// The content of an item of type `grid`.
    private struct HEIFGrid {
        var size: PixelSize
        var columns: Int
        var rows: Int

        init(size: PixelSize, columns: Int, rows: Int) {
            self.size = size
            self.columns = columns
            self.rows = rows
        }

        init(_ data: Data) throws(ImageDecodingError) {
            var fields = BoxReader(data, format: .heic).fields(in: 0..<data.count)
            guard try fields.integer(1) == 0 else { throw .unsupported(.heic, "a grid of a newer version") }
            let length = try fields.integer(1) & 1 == 0 ? 2 : 4
            rows = 1 + (try fields.integer(1))
            columns = 1 + (try fields.integer(1))
            size = PixelSize(width: try fields.integer(length), height: try fields.integer(length))
        }
    }

    /// Rows of samples, decoded by libde265.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. The C functions check sizes.
    @safe final class HEIFPlanes {
        fileprivate let handle: OpaquePointer
        let format: heic_format
        /// The color in the HEVC data; unspecified for planes that were not decoded.
        private(set) var color = CodingColor()

        /// Decodes a picture of a sequence from its slices.
        init(decoding slices: Data, parameterSets: Data, as sequence: HEVCSequence) throws(ImageDecodingError) {
            var handle: OpaquePointer?
            format = sequence.format
            let (wanted, parameterSets) = (format, [UInt8](parameterSets))
            let outcome = unsafe slices.withUnsafeBytes { slices in
                unsafe parameterSets.withUnsafeBytes { sets in
                    unsafe heic_planes_decode(
                        sets.baseAddress, sets.count, slices.baseAddress, slices.count, wanted, &handle)
                }
            }
            try check(outcome)
            guard let handle = unsafe handle else { throw .malformed(.heic, "libde265 rejected the data") }
            unsafe self.handle = handle
            color = CodingColor(unsafe heic_planes_color(handle))
        }

        /// Takes planes that were decoded.
        fileprivate init(_ handle: OpaquePointer, format: heic_format) {
            unsafe self.handle = handle
            self.format = format
            color = CodingColor(unsafe heic_planes_color(handle))
        }

        /// Creates planes without rows for an image, with memory for `capacity` rows.
        init(size: PixelSize, format: heic_format, capacity: Int) throws(ImageDecodingError) {
            var format = format
            format.width = CInt(size.width)
            format.height = CInt(size.height)
            guard let handle = unsafe heic_planes_create(format, CInt(capacity)) else {
                throw .unsupported(.heic, "no memory for the samples")
            }
            unsafe self.handle = handle
            self.format = format
        }

        deinit { unsafe heic_planes_close(handle) }

        /// Copies a tile below the rows that are present.
        func paste(_ tile: HEIFPlanes, at x: Int) throws(ImageDecodingError) {
            guard unsafe heic_planes_paste(handle, tile.handle, CInt(x)) != 0 else {
                throw .malformed(.heic, "a tile does not fit")
            }
        }

        func addRows(_ count: Int) { unsafe heic_planes_add_rows(handle, CInt(count)) }

        func removeRows(above row: Int) { unsafe heic_planes_remove_rows(handle, CInt(row)) }
    }

    /// Throws the error of `outcome` unless it is `heic_ok`.
    private func check(_ outcome: heic_outcome) throws(ImageDecodingError) {
        switch outcome {
        case heic_ok: return
        case heic_unsupported: throw .unsupported(.heic, "libde265 does not support this kind of image")
        case heic_out_of_memory: throw .unsupported(.heic, "libde265 could not allocate memory")
        default: throw .malformed(.heic, "libde265 rejected the data")
        }
    }

    extension CodingColor {
        fileprivate init(_ color: heic_color) {
            self.init(
                primaries: Int(color.primaries), transfer: Int(color.transfer), matrix: Int(color.matrix),
                isFullRange: color.is_full_range != 0)
        }
    }

    /// Decodes consecutive pictures of a sequence with libde265.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
    @safe final class HEIFStream {
        private let handle: OpaquePointer
        private let format: heic_format

        /// - Parameter pictureLimit: The number of pictures that the stream may hold.
        init(_ configuration: HEVCConfiguration, pictureLimit: Int) throws(ImageDecodingError) {
            format = configuration.sequence.format
            let (format, sets) = (format, [UInt8](configuration.parameterSets))
            let opened = unsafe sets.withUnsafeBytes { sets in
                unsafe heic_stream_open(sets.baseAddress, sets.count, format, CInt(pictureLimit))
            }
            guard let handle = unsafe opened else { throw .malformed(.heic, "libde265 rejected the parameters") }
            unsafe self.handle = handle
        }

        deinit { unsafe heic_stream_close(handle) }

        /// Decodes the next picture from its slices. Returns nil unless it is wanted.
        func decode(_ slices: Data, isWanted: Bool) throws(ImageDecodingError) -> HEIFPlanes? {
            var planes: OpaquePointer?
            let outcome = unsafe slices.withUnsafeBytes { slices in
                isWanted
                    ? unsafe heic_stream_decode(handle, slices.baseAddress, slices.count, &planes)
                    : unsafe heic_stream_decode(handle, slices.baseAddress, slices.count, nil)
            }
            try check(outcome)
            return unsafe planes.map { unsafe HEIFPlanes($0, format: format) }
        }
    }

    /// Converts samples to RGBA.
    struct HEIFConverter {
        private var conversion = heic_conversion()
        private let pixelBytes: Int

        init(
            _ area: PixelArea, color: CodingColor, sequence: HEVCSequence, layout: PixelLayout, isPremultiplied: Bool
        ) throws(ImageDecodingError) {
            pixelBytes = layout.bytesPerPixel
            conversion.is_deep = layout == .rgba16 ? 1 : 0
            let rgb = try color.conversion(
                bitDepth: sequence.bitDepth, isGray: sequence.chromaFormat == 0, white: layout == .rgba16 ? 65_535 : 255
            )
            conversion.left = CInt(area.left)
            conversion.top = CInt(area.top)
            conversion.width = CInt(area.width)
            conversion.height = CInt(area.height)
            conversion.is_premultiplied = isPremultiplied ? 1 : 0
            conversion.red = rgb[0].factors
            conversion.green = rgb[1].factors
            conversion.blue = rgb[2].factors
        }

        /// Writes output rows to `rgba`, which has memory for them.
        func convert(
            _ rows: Range<Int>, of color: HEIFPlanes, alpha: HEIFPlanes?, into rgba: inout [UInt8]
        ) throws(ImageDecodingError) {
            precondition(rgba.count >= rows.count * Int(conversion.width) * pixelBytes)
            let isGood = unsafe rgba.withUnsafeMutableBufferPointer { target in
                unsafe withUnsafePointer(to: conversion) { conversion in
                    unsafe heic_convert(
                        color.handle, alpha?.handle, conversion, CInt(rows.lowerBound), CInt(rows.count),
                        target.baseAddress)
                }
            }
            if isGood == 0 { throw .unsupported(.heic, "no memory for the conversion to RGB") }
        }
    }

    extension [Double] {
        /// The four elements.
        fileprivate var factors: (Float, Float, Float, Float) {
            (Float(self[0]), Float(self[1]), Float(self[2]), Float(self[3]))
        }
    }

    extension HEVCSequence {
        /// The format of a decoded image.
        fileprivate var format: heic_format {
            let (across, down): (CInt, CInt) = [(0, 0), (2, 2), (2, 1), (1, 1)][chromaFormat]
            return heic_format(
                width: CInt(size.width), height: CInt(size.height), across: across, down: down,
                bit_depth: CInt(bitDepth))
        }
    }
#endif
