#if HEIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// An item of the file: an image, a tile, a derived image, or metadata.
    struct HEIFItem {
        /// The four characters of the type: `hvc1` for an HEVC image, `grid` for tiles.
        var type = ""
        var isProtected = false
        /// The ranges of its data, in the file or in the `idat` box.
        var extents: [Range<Int>] = []
        /// Where the data is: 0 in the file, 1 in the `idat` box. Others are not supported.
        var construction = 0
        /// The properties in the order in which they apply.
        var properties: [Property] = []

        struct Property {
            /// The index in `HEIFContainer.properties`.
            var index: Int
            var isEssential: Bool
        }
    }

    /// The items of a file, without pixels (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9.3).
    struct HEIFContainer {
        private(set) var reader: ISOReader
        private(set) var items: [Int: HEIFItem] = [:]
        private(set) var primaryItem: Int?
        private(set) var properties: [HEIFProperty] = []
        private(set) var references: [Reference] = []
        private var itemData: Range<Int>?

        /// A reference of type `name` from an item to others.
        struct Reference {
            var name: String
            var source: Int
            var targets: [Int]
        }

        /// Reads the `meta` box. Throws `.truncated` if the file ends before it does.
        init(of data: Data) throws(DecodingFailure) {
            reader = ISOReader(data)
            let meta = try Self.metaBox(in: &reader)
            let boxes = try reader.boxes(in: meta.payload.dropFirst(4))
            for name in ["iinf", "iloc", "iprp", "iref", "pitm", "idat"] {
                guard let box = boxes.first(where: { $0.name == name }) else { continue }
                try read(box)
            }
        }

        /// Searches the top level for the `meta` box, whose version must be 0.
        private static func metaBox(in reader: inout ISOReader) throws(DecodingFailure) -> ISOBox {
            var (offset, hasTracks) = (0, false)
            let end = reader.data.count
            while offset < end {
                try reader.spend()
                guard let box = reader.box(at: offset, end: end) else {
                    throw offset > end - 16 ? .truncated(.heic) : .malformed(.heic, "a box has an invalid size")
                }
                if box.payload.upperBound > end { throw .truncated(.heic) }
                if box.name == "meta" {
                    guard reader.integer(at: box.payload.lowerBound, length: 1) == 0, box.payload.count >= 4 else {
                        throw .malformed(.heic, "the meta box is invalid")
                    }
                    return box
                }
                if box.name == "moov" { hasTracks = true }
                offset = box.payload.upperBound
            }
            if hasTracks { throw .unsupported(.heic, "the file has an image sequence only") }
            throw .truncated(.heic)
        }

        private mutating func read(_ box: ISOBox) throws(DecodingFailure) {
            var fields = ISOFields(reader, in: box.payload)
            switch box.name {
            case "idat": itemData = box.payload
            case "iprp": try readProperties(in: box.payload)
            case "pitm":
                try fields.readVersion()
                primaryItem = try fields.integer(fields.version == 0 ? 2 : 4)
            case "iinf":
                try fields.readVersion()
                _ = try fields.integer(fields.version == 0 ? 2 : 4)
                for box in try reader.boxes(in: fields.offset..<box.payload.upperBound) where box.name == "infe" {
                    try readItem(box)
                }
            case "iloc": try readLocations(&fields)
            default: try readReferences(in: box.payload)
            }
        }

        private mutating func readItem(_ box: ISOBox) throws(DecodingFailure) {
            var fields = ISOFields(reader, in: box.payload)
            try fields.readVersion()
            // Versions 0 and 1 have no type: they are not for images.
            guard fields.version >= 2 else { return }
            let id = try fields.integer(fields.version == 2 ? 2 : 4)
            var item = HEIFItem()
            item.isProtected = try fields.integer(2) != 0
            item.type = try fields.name()
            items[id] = item
        }

        private mutating func readReferences(in range: Range<Int>) throws(DecodingFailure) {
            var header = ISOFields(reader, in: range)
            try header.readVersion()
            let idLength = header.version == 0 ? 2 : 4
            for box in try reader.boxes(in: header.offset..<range.upperBound) {
                var fields = ISOFields(reader, in: box.payload)
                var reference = Reference(name: box.name, source: try fields.integer(idLength), targets: [])
                let count = try fields.integer(2)
                try reader.spend(count)
                for _ in 0..<count { reference.targets.append(try fields.integer(idLength)) }
                references.append(reference)
            }
        }

        private mutating func readProperties(in range: Range<Int>) throws(DecodingFailure) {
            let boxes = try reader.boxes(in: range)
            if let container = boxes.first(where: { $0.name == "ipco" }) {
                for box in try reader.boxes(in: container.payload) {
                    properties.append(try HEIFProperty(box, of: reader))
                }
            }
            for box in boxes where box.name == "ipma" { try readAssociations(in: box.payload) }
        }

        private mutating func readAssociations(in range: Range<Int>) throws(DecodingFailure) {
            var fields = ISOFields(reader, in: range)
            try fields.readVersion()
            let indexLength = fields.flags & 1 == 0 ? 1 : 2
            for _ in 0..<(try fields.integer(4)) {
                let id = try fields.integer(fields.version == 0 ? 2 : 4)
                let count = try fields.integer(1)
                try reader.spend(1 + count)
                for _ in 0..<count {
                    let value = try fields.integer(indexLength)
                    let essential = 1 << (8 * indexLength - 1)
                    // The index 0 means that there is no property.
                    guard value & (essential - 1) > 0 else { continue }
                    let property = HEIFItem.Property(
                        index: value & (essential - 1) - 1, isEssential: value & essential != 0)
                    guard properties.indices.contains(property.index) else {
                        throw .malformed(.heic, "an item refers to a missing property")
                    }
                    items[id]?.properties.append(property)
                }
            }
        }

        private mutating func readLocations(_ fields: inout ISOFields) throws(DecodingFailure) {
            try fields.readVersion()
            let sizes = try fields.integer(2)
            let (offsetLength, lengthLength) = (sizes >> 12, sizes >> 8 & 15)
            let (baseLength, indexLength) = (sizes >> 4 & 15, fields.version == 0 ? 0 : sizes & 15)
            guard [offsetLength, lengthLength, baseLength, indexLength].allSatisfy({ $0 <= 8 }) else {
                throw .malformed(.heic, "the locations of items have an invalid format")
            }
            for _ in 0..<(try fields.integer(fields.version < 2 ? 2 : 4)) {
                let id = try fields.integer(fields.version < 2 ? 2 : 4)
                var construction = fields.version == 0 ? 0 : try fields.integer(2) & 15
                if try fields.integer(2) != 0 { construction = -1 }  // in another file
                let base = try fields.integer(baseLength)
                let count = try fields.integer(2)
                try reader.spend(1 + count)
                var extents: [Range<Int>] = []
                for _ in 0..<count {
                    _ = try fields.integer(indexLength)
                    let (start, overflows) = base.addingReportingOverflow(try fields.integer(offsetLength))
                    let length = try fields.integer(lengthLength)
                    guard !overflows, length <= Int.max - start else {
                        throw .malformed(.heic, "the location of an item is invalid")
                    }
                    extents.append(start..<start + length)
                }
                items[id]?.construction = construction
                items[id]?.extents = extents
            }
        }
    }

    extension HEIFContainer {
        /// Returns the items to which an item refers, in order.
        func targets(of id: Int, _ name: String) -> [Int] {
            references.filter { $0.name == name && $0.source == id }.flatMap(\.targets)
        }

        /// Returns the items that refer to an item.
        func sources(of id: Int, _ name: String) -> [Int] {
            references.filter { $0.name == name && $0.targets.contains(id) }.map(\.source)
        }

        /// Returns the properties of an item. Throws `.unsupported` if one is essential and unknown.
        func properties(of item: HEIFItem) throws(DecodingFailure) -> [HEIFProperty] {
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
        func ranges(of item: HEIFItem) throws(DecodingFailure) -> [Range<Int>] {
            var ranges: [Range<Int>] = []
            var total = 0
            for extent in item.extents {
                ranges.append(try range(of: extent, construction: item.construction))
                total += min(extent.count, reader.data.count)
            }
            guard total <= reader.data.count else { throw .malformed(.heic, "the data of an item overlaps") }
            return ranges
        }

        private func range(of extent: Range<Int>, construction: Int) throws(DecodingFailure) -> Range<Int> {
            switch construction {
            case 0:
                // A length of 0 means the rest of the file.
                return extent.isEmpty ? extent.lowerBound..<max(extent.lowerBound, reader.data.count) : extent
            case 1:
                guard let itemData, extent.upperBound <= itemData.count else {
                    throw .malformed(.heic, "the data of an item is not in the idat box")
                }
                return itemData.lowerBound + extent.lowerBound..<itemData.lowerBound + extent.upperBound
            default: throw .unsupported(.heic, "an item in another item or file")
            }
        }

        /// Returns a copy of an item's data. Throws `.truncated` if it exceeds the file.
        func data(of item: HEIFItem) throws(DecodingFailure) -> Data {
            var bytes = Data()
            for range in try ranges(of: item) {
                guard range.upperBound <= reader.data.count else { throw .truncated(.heic) }
                bytes.append(reader.data.dropFirst(range.lowerBound).prefix(range.count))
            }
            return bytes
        }
    }
#endif
