#if HEIF
    import ISOBoxes
    import ImageCore

    /// The primary image of a file, without pixels.
    struct HEIFStructure {
        let image: HEIFImage
        /// The part of the image to show, in stored orientation.
        let area: PixelArea
        let orientation: ImageOrientation
        /// The color in the properties. Nil if it is that of the HEVC data.
        let color: CodingColor?
        private let profile: Range<Int>?
        /// The alpha channel. It has the size of the image.
        let alpha: HEIFImage?
        /// Whether color is multiplied by alpha.
        let isPremultiplied: Bool
        /// A smaller copy of the image, with the same orientation and color.
        let thumbnail: Thumbnail?

        struct Thumbnail {
            var image: HEIFImage
            /// The part of it to show.
            var area: PixelArea

            var size: PixelSize { PixelSize(width: area.width, height: area.height) }
        }

        /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
        init(of container: HEIFContainer, limits: DecodingLimits) throws(ImageDecodingError) {
            guard let id = container.items.primary, let item = container.items[id] else {
                throw .malformed(.heic, "the file has no primary image")
            }
            image = try HEIFImage(id, in: container, limits: limits)
            let properties = try container.properties(of: item)
            let transformation = try HEIFTransformation(properties, of: image)
            area = transformation.area
            orientation = transformation.orientation
            let color = try Self.color(properties, of: image, in: container)
            profile = color.profile
            self.color = color.coding
            let alpha = try Self.alpha(of: id, in: container)
            for tile in item.type == "grid" && alpha == nil ? container.items.targets(of: id, "dimg") : [] {
                let ownAlpha = try Self.alpha(of: tile, in: container)
                if ownAlpha != nil { throw .unsupported(.heic, "tiles with alpha of their own") }
            }
            self.alpha = try alpha.map { id throws(ImageDecodingError) in
                try HEIFImage(id, in: container, limits: limits)
            }
            if let size = self.alpha?.size, size != image.size {
                throw .unsupported(.heic, "alpha of \(size) for an image of \(image.size)")
            }
            isPremultiplied = alpha.map { container.items.targets(of: id, "prem").contains($0) } ?? false
            // A thumbnail may have alpha of its own, which is not searched for.
            thumbnail =
                alpha == nil ? Self.thumbnail(of: id, transformation, color, in: container, limits: limits) : nil
        }

        /// Returns the color of an image, or that of its tiles if it has none. Throws if it is that of some of the tiles only.
        private static func color(
            _ properties: [HEIFProperty], of image: HEIFImage, in container: HEIFContainer
        ) throws(ImageDecodingError) -> ItemColor {
            let own = ItemColor(properties)
            let tiles = try image.tileProperties(in: container).map(ItemColor.init)
            if own.coding == nil || own.profile == nil {
                guard tiles.allSatisfy({ container.sameColor($0, tiles[0]) }) else {
                    throw .unsupported(.heic, "tiles of several color spaces")
                }
            }
            return ItemColor(coding: own.coding ?? tiles[0].coding, profile: own.profile ?? tiles[0].profile)
        }

        /// Returns the item of the alpha channel (ISO/IEC 23008-12, 6.5.8 and B.2.4).
        private static func alpha(of id: Int, in container: HEIFContainer) throws(ImageDecodingError) -> Int? {
            for source in container.items.sources(of: id, "auxl") {
                guard let item = container.items[source] else { continue }
                for property in try container.properties(of: item) {
                    if case .auxiliary(let type) = property, BoxItems.alphaTypes.contains(type) { return source }
                }
            }
            return nil
        }

        /// Returns the largest thumbnail that shows the same as the image. One that can't be decoded is ignored.
        private static func thumbnail(
            of id: Int, _ transformation: HEIFTransformation, _ color: ItemColor, in container: HEIFContainer,
            limits: DecodingLimits
        ) -> Thumbnail? {
            let thumbnails = container.items.sources(of: id, "thmb").compactMap { source -> Thumbnail? in
                guard let item = container.items[source], let properties = try? container.properties(of: item),
                    container.sameColor(ItemColor(properties), color),
                    let image = try? HEIFImage(source, in: container, limits: limits),
                    image.columns == 1, image.rows == 1,
                    let own = try? HEIFTransformation(properties, of: image),
                    own.orientation == transformation.orientation
                else { return nil }
                let thumbnail = Thumbnail(image: image, area: own.area)
                return thumbnail.size.hasShape(of: transformation.area) ? thumbnail : nil
            }
            return thumbnails.max { $0.size.area < $1.size.area }
        }

        /// Returns the header. A profile above the limit is ignored.
        func header(of container: HEIFContainer, limits: DecodingLimits) throws(ImageDecodingError) -> ImageHeader {
            var header = ImageHeader(
                format: .heic, storedSize: PixelSize(width: area.width, height: area.height), orientation: orientation,
                hasAlpha: alpha != nil, hasGainMap: container.items.hasGainMap(container.reader))
            let color = ItemColor(coding: color, profile: profile)
            if let source = try color.source(of: container.reader, limits: limits) { header.color = source }
            let peak = container.items.peakLuminance(container.reader)
            header.color.setPeak(peak.content, peak.mastering)
            header.nativeLayout = header.color.isHDR ? .rgba16 : .rgba8
            return header
        }
    }

    /// The transformative properties of an item (ISO/IEC 23008-12, 6.5.9 to 6.5.12).
    private struct HEIFTransformation {
        private(set) var area: PixelArea
        /// Quarter turns clockwise, after the mirroring.
        private var turns = 0
        /// Whether left and right are exchanged.
        private var isMirrored = false

        /// Applies the properties in their order. The Exif orientation does not apply to HEIF.
        init(_ properties: [HEIFProperty], of image: HEIFImage) throws(ImageDecodingError) {
            let size = image.size
            area = PixelArea(size: size)
            for property in properties {
                switch property {
                case .rotation(let quarters): turns += 4 - quarters
                case .mirroring(let axis):
                    turns = (axis == 0 ? 2 : 0) + 4 - turns % 4
                    isMirrored.toggle()
                case .aperture(let aperture):
                    guard turns % 4 == 0, !isMirrored, area == PixelArea(size: size) else {
                        throw .unsupported(.heic, "a clean aperture after a rotation")
                    }
                    guard let part = aperture.area(in: size) else {
                        throw .malformed(.heic, "the clean aperture exceeds the image")
                    }
                    area = part
                default: break
                }
            }
            let shown = PixelSize(width: area.width, height: area.height)
            let upright = orientation.swapsAxes ? shown.transposed : shown
            guard [size, shown, upright].contains(image.declaredSize) else {
                throw .malformed(.heic, "the size of an image is not that of its coding")
            }
        }

        var orientation: ImageOrientation {
            let (plain, mirrored): ([ImageOrientation], [ImageOrientation]) = (
                [.up, .right, .down, .left], [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
            )
            return (isMirrored ? mirrored : plain)[turns % 4]
        }
    }

    /// The color properties of an item or a track. The first of each kind applies.
    struct ItemColor {
        var coding: CodingColor?
        var profile: Range<Int>?

        init(coding: CodingColor?, profile: Range<Int>?) {
            self.coding = coding
            self.profile = profile
        }

        init(_ properties: [HEIFProperty]) {
            for property in properties {
                switch property {
                case .color(let color): coding = coding ?? color
                case .profile(let range): profile = profile ?? range
                default: break
                }
            }
        }
    }

    extension ItemColor {
        /// Returns the color of the decoded RGB, nil if only the HEVC data says it. A profile above the limit is ignored.
        func source(of reader: BoxReader, limits: DecodingLimits) throws(ImageDecodingError) -> SourceColor? {
            if let profile, profile.count <= limits.metadataByteLimit, !profile.isEmpty {
                return SourceColor(profile: Data(reader.bytes(in: profile)))
            }
            return try coding?.source()
        }
    }

    extension HEIFContainer {
        fileprivate func sameColor(_ first: ItemColor, _ second: ItemColor) -> Bool {
            guard first.coding == second.coding else { return false }
            guard first.profile != second.profile else { return true }
            guard let one = first.profile, let other = second.profile else { return false }
            return reader.bytes(in: one) == reader.bytes(in: other)
        }
    }

    extension PixelSize {
        /// Whether the ratio of the sides is the same within one percent.
        fileprivate func hasShape(of other: PixelArea) -> Bool {
            let ratio = Double(width) * Double(other.height) / (Double(height) * Double(other.width))
            return abs(ratio - 1) <= 0.01
        }
    }

    /// The items of a file, without pixels (ISO/IEC 23008-12, 9.3).
    struct HEIFContainer {
        let reader: BoxReader
        let items: BoxItems
        private var properties: [HEIFProperty] = []

        /// Reads the `meta` box. Throws `.truncated` if the file ends before it does.
        init(of data: Data) throws(ImageDecodingError) {
            var reader = BoxReader(data, format: .heic)
            let boxes = try reader.fileBoxes()
            guard let meta = boxes.first(where: { $0.name == "meta" }), meta.content.upperBound <= data.count else {
                throw .truncated(.heic)
            }
            items = try BoxItems(in: meta, &reader)
            self.reader = reader
            for box in items.properties { properties.append(try HEIFProperty(box, of: reader)) }
        }

        /// Returns the properties of an item. Throws `.unsupported` if one is essential and unknown.
        func properties(of item: BoxItems.Item) throws(ImageDecodingError) -> [HEIFProperty] {
            for property in item.properties where property.isEssential {
                if case .unknown(let name) = properties[property.index] {
                    throw .unsupported(.heic, "the property \(name)")
                }
            }
            return item.properties.map { properties[$0.index] }
        }

        /// Returns the ranges of an item's data in the file, which may be beyond its end.
        ///
        /// Throws `.malformed` if their sum exceeds the file, because extents may overlap.
        func ranges(of item: BoxItems.Item) throws(ImageDecodingError) -> [Range<Int>] {
            var ranges: [Range<Int>] = []
            var total = 0
            for extent in item.extents {
                ranges.append(try range(of: extent, construction: item.construction))
                total += min(extent.count, reader.data.count)
            }
            guard total <= reader.data.count else { throw .malformed(.heic, "the data of an item overlaps") }
            return ranges
        }

        private func range(of extent: Range<Int>, construction: Int) throws(ImageDecodingError) -> Range<Int> {
            switch construction {
            case 0:
                // A length of 0 means the rest of the file.
                return extent.isEmpty ? extent.lowerBound..<max(extent.lowerBound, reader.data.count) : extent
            case 1:
                guard let data = items.itemData, extent.upperBound <= data.count else {
                    throw .malformed(.heic, "the data of an item is not in the idat box")
                }
                return data.lowerBound + extent.lowerBound..<data.lowerBound + extent.upperBound
            default: throw .unsupported(.heic, "an item in another item or file")
            }
        }

        /// Returns a copy of an item's data. Throws `.truncated` if it exceeds the file.
        func data(of item: BoxItems.Item) throws(ImageDecodingError) -> Data {
            var bytes = Data()
            for range in try ranges(of: item) {
                guard range.upperBound <= reader.data.count else { throw .truncated(.heic) }
                bytes.append(reader.bytes(in: range))
            }
            return bytes
        }
    }
#endif
