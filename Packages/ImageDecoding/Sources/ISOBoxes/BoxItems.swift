package import ImageCore

/// The items of a `meta` box, without their data (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9.3).
package struct BoxItems {
    /// An image, a tile, a derived image, or metadata.
    package struct Item {
        /// The four characters of the type: `hvc1` for an HEVC image, `grid` for tiles.
        package var type = ""
        /// Of an item of the type `mime`, its media type; nil if its data is compressed.
        package var mediaType: String?
        package var isProtected = false
        /// The ranges of its data, in the file or in the `idat` box.
        package var extents: [Range<Int>] = []
        /// Where the data is: 0 in the file, 1 in the `idat` box. Others are not supported.
        package var construction = 0
        /// The properties in the order in which they apply.
        package var properties: [Property] = []
    }

    package struct Property {
        /// The index in `BoxItems.properties`.
        package var index: Int
        package var isEssential: Bool
    }

    /// A reference of type `name` from an item to others.
    struct Reference {
        var name: String
        var from: Int
        var targets: [Int]
    }

    /// The types of auxiliary images that are alpha (ISO/IEC 23008-12, 6.5.8 and B.2.4).
    package static let alphaTypes: Set = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]

    private var items: [Int: Item] = [:]
    /// The numbers of the items in the order in which they are mentioned first.
    package private(set) var order: [Int] = []
    /// The number of the primary item.
    package private(set) var primary: Int?
    package private(set) var properties: [Box] = []
    private(set) var references: [Reference] = []
    /// The content of the `idat` box.
    package private(set) var itemData: Range<Int>?

    /// Reads a `meta` box, whose version must be 0. Throws `.malformed`.
    package init(in meta: Box, _ reader: inout BoxReader) throws(ImageDecodingError) {
        var header = reader.fields(in: meta.content)
        try header.readVersion()
        guard header.version == 0 else { throw .malformed(reader.format, "the meta box is invalid") }
        for box in try reader.boxes(in: header.rest) {
            switch box.name {
            case "idat": itemData = box.content
            case "iprp": try readProperties(in: box.content, &reader)
            case "pitm":
                var fields = reader.fields(in: box.content)
                try fields.readVersion()
                primary = try fields.integer(fields.version == 0 ? 2 : 4)
            case "iinf": try readTypes(in: box.content, &reader)
            case "iloc": try readLocations(in: box.content, &reader)
            case "iref": try readReferences(in: box.content, &reader)
            default: break
            }
        }
    }

    /// Returns an item, or nil if it is not mentioned.
    package subscript(_ id: Int) -> Item? { items[id] }

    /// Returns the items to which an item refers, in order.
    package func targets(of id: Int, _ name: String) -> [Int] {
        references.filter { $0.name == name && $0.from == id }.flatMap(\.targets)
    }

    /// Returns the items that refer to an item.
    package func sources(of id: Int, _ name: String) -> [Int] {
        references.filter { $0.name == name && $0.targets.contains(id) }.map(\.from)
    }

    /// Whether the primary image is the base of a gain map.
    package func hasGainMap(_ reader: BoxReader) -> Bool { toneMap != nil || appleGainMap(reader) != nil }

    /// The item `tmap` (ISO/IEC 23008-12:2022/Amd 1) whose base is the primary image: a gain map of ISO 21496-1.
    package var toneMap: Int? {
        guard let primary else { return nil }
        return sources(of: primary, "dimg").first { source in
            items[source]?.type == "tmap" && targets(of: source, "dimg").first == primary
        }
    }

    /// Returns Apple's auxiliary image whose base is the primary image: a gain map.
    package func appleGainMap(_ reader: BoxReader) -> Int? {
        guard let primary else { return nil }
        return sources(of: primary, "auxl").first { source in
            propertyBoxes(of: source).contains { box in
                var fields = reader.fields(in: box.content)
                guard box.name == "auxC", (try? fields.readVersion()) != nil else { return false }
                return (try? fields.text()) == "urn:com:apple:photo:2020:aux:hdrgainmap"
            }
        }
    }

    /// Returns the luminance of the brightest pixel of the primary image in cd/m², or that of the display on which it
    /// was made (ISO/IEC 14496-12:2022, 12.1.6 and 12.1.7). Nil if neither is known.
    package func peakLuminance(_ reader: BoxReader) -> (content: Double?, mastering: Double?) {
        let boxes = primary.map(propertyBoxes) ?? []
        func number(in name: String, at offset: Int, length: Int) -> Double? {
            guard let box = boxes.first(where: { $0.name == name }), box.content.count >= offset + length else {
                return nil
            }
            return reader.data.bigEndian(at: box.content.lowerBound + offset, length).map(Double.init)
        }
        return (
            number(in: "clli", at: 0, length: 2), number(in: "mdcv", at: 16, length: 4).map { $0 / 10_000 }
        )
    }

    /// Returns the property boxes of an item in the order in which they apply.
    package func propertyBoxes(of id: Int) -> [Box] { items[id]?.properties.map { properties[$0.index] } ?? [] }

    private mutating func mention(_ id: Int) {
        guard items[id] == nil else { return }
        items[id] = Item()
        order.append(id)
    }

    private mutating func readTypes(in range: Range<Int>, _ reader: inout BoxReader) throws(ImageDecodingError) {
        var header = reader.fields(in: range)
        try header.readVersion()
        _ = try header.integer(header.version == 0 ? 2 : 4)
        for box in try reader.boxes(in: header.rest) where box.name == "infe" {
            var fields = reader.fields(in: box.content)
            try fields.readVersion()
            // Versions 0 and 1 have no type: they are not for images.
            guard fields.version >= 2 else { continue }
            let id = try fields.integer(fields.version == 2 ? 2 : 4)
            mention(id)
            items[id]?.isProtected = try fields.integer(2) != 0
            let type = try fields.name()
            items[id]?.type = type
            let mediaType = type == "mime" ? mediaType(in: reader.bytes(in: fields.rest)) : nil
            items[id]?.mediaType = mediaType
        }
    }

    /// Reads the media type after the name of an item. An encoding can follow it. Each ends with a zero.
    private func mediaType(in texts: Data) -> String? {
        let texts = texts.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        guard texts.count == 2 || texts.count > 2 && texts[2].isEmpty else { return nil }
        return String(decoding: texts[1], as: UTF8.self)
    }

    private mutating func readReferences(in range: Range<Int>, _ reader: inout BoxReader) throws(ImageDecodingError) {
        var header = reader.fields(in: range)
        try header.readVersion()
        let idLength = header.version == 0 ? 2 : 4
        for box in try reader.boxes(in: header.rest) {
            var fields = reader.fields(in: box.content)
            var reference = Reference(name: box.name, from: try fields.integer(idLength), targets: [])
            let count = try fields.integer(2)
            try reader.spend(count)
            for _ in 0..<count { reference.targets.append(try fields.integer(idLength)) }
            references.append(reference)
            mention(reference.from)
        }
    }

    private mutating func readProperties(in range: Range<Int>, _ reader: inout BoxReader) throws(ImageDecodingError) {
        let boxes = try reader.boxes(in: range)
        if let container = boxes.first(where: { $0.name == "ipco" }) {
            properties = try reader.boxes(in: container.content)
        }
        for box in boxes where box.name == "ipma" { try readAssociations(in: box.content, &reader) }
    }

    private mutating func readAssociations(in range: Range<Int>, _ reader: inout BoxReader) throws(ImageDecodingError) {
        var fields = reader.fields(in: range)
        try fields.readVersion()
        let indexLength = fields.flags & 1 == 0 ? 1 : 2
        let essential = 1 << (8 * indexLength - 1)
        for _ in 0..<(try fields.integer(4)) {
            let id = try fields.integer(fields.version == 0 ? 2 : 4)
            let count = try fields.integer(1)
            try reader.spend(1 + count)
            mention(id)
            for _ in 0..<count {
                let value = try fields.integer(indexLength)
                // The index 0 means that there is no property.
                let number = value & (essential - 1)
                guard number > 0 else { continue }
                guard number <= properties.count else {
                    throw .malformed(reader.format, "an item refers to a missing property")
                }
                items[id]?.properties.append(Property(index: number - 1, isEssential: value & essential != 0))
            }
        }
    }

    private mutating func readLocations(in range: Range<Int>, _ reader: inout BoxReader) throws(ImageDecodingError) {
        var fields = reader.fields(in: range)
        try fields.readVersion()
        let sizes = try fields.integer(2)
        let (offsetLength, lengthLength) = (sizes >> 12, sizes >> 8 & 15)
        let (baseLength, indexLength) = (sizes >> 4 & 15, fields.version == 0 ? 0 : sizes & 15)
        guard [offsetLength, lengthLength, baseLength, indexLength].allSatisfy({ $0 <= 8 }) else {
            throw .malformed(reader.format, "the locations of items have an invalid format")
        }
        for _ in 0..<(try fields.integer(fields.version < 2 ? 2 : 4)) {
            let id = try fields.integer(fields.version < 2 ? 2 : 4)
            mention(id)
            items[id]?.extents = []
            items[id]?.construction = fields.version == 0 ? 0 : try fields.integer(2) & 15
            if try fields.integer(2) != 0 { items[id]?.construction = -1 }  // in another file
            let base = try fields.integer(baseLength)
            let count = try fields.integer(2)
            try reader.spend(1 + count)
            for _ in 0..<count {
                _ = try fields.integer(indexLength)
                let (start, overflows) = base.addingReportingOverflow(try fields.integer(offsetLength))
                let length = try fields.integer(lengthLength)
                guard !overflows, length <= Int.max - start else {
                    throw .malformed(reader.format, "the location of an item is invalid")
                }
                items[id]?.extents.append(start..<start + length)
            }
        }
    }
}

extension SourceColor {
    /// Creates the color of code points of ITU-T H.273, tables 2 and 3. Unspecified and unknown ones count as those of
    /// sRGB. Throws `.unsupported` for logarithmic transfer functions.
    package init(primaries: Int, transfer: Int, format: ImageFormat) throws(ImageDecodingError) {
        if transfer == 9 || transfer == 10 { throw .unsupported(format, "the transfer function \(transfer)") }
        let transfer = TransferFunction(codePoint: transfer, video: .sRGB) ?? .sRGB
        self.init(primaries: RGBPrimaries(codePoint: primaries) ?? .sRGB, transfer: transfer)
    }
}
