public import Foundation
public import ImageCore

/// Builds valid and invalid HEIF files from boxes (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12).
public struct HEIFBuilder {
    /// An encoded HEVC or AV1 image.
    public struct Coded: Sendable {
        /// The size of the coded image.
        public var size: PixelSize
        /// The content of its `hvcC` or `av1C` box.
        public var configuration: Data
        /// Its NAL units, or its AV1 data.
        public var data: Data

        /// Extracts the image of a file with one item.
        public init(of file: Data, size: PixelSize, configuration name: String = "hvcC") throws {
            self.size = size
            configuration = try Self.content(of: name, in: file)
            data = try Self.content(of: "mdat", in: file)
        }

        private struct Missing: Error {}

        private static func content(of name: String, in file: Data) throws -> Data {
            guard let found = file.firstRange(of: Data(name.utf8)) else { throw Missing() }
            let length = file[found.lowerBound - 4..<found.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            return Data(file[found.upperBound..<found.lowerBound - 4 + length])
        }
    }

    private struct Item {
        var id: Int
        var type: String
        var data: Data
        var properties: [Int]
    }

    private var properties: [Data] = []
    private var items: [Item] = []
    private var references = Data()
    private var brands: [String]
    /// The primary item; 0 for none.
    public var primary: Int
    /// The number of the first item.
    private let firstID: Int
    /// The bytes of the number of an item: 2, or 4 in later versions of the boxes.
    private let idLength: Int

    public init(brands: [String] = ["heic", "mif1", "heic"], firstID: Int = 1, idLength: Int = 2) {
        self.brands = brands
        self.firstID = firstID
        self.idLength = idLength
        primary = firstID
    }

    /// Adds a property box and returns its index.
    public mutating func property(_ name: String, _ content: Data) -> Int {
        properties.append(Self.box(name, content))
        return properties.count
    }

    /// Adds an item. Essential properties have negative indices.
    @discardableResult
    public mutating func item(_ type: String, _ data: Data, properties: [Int] = []) -> Int {
        items.append(Item(id: firstID + items.count, type: type, data: data, properties: properties))
        return firstID + items.count - 1
    }

    /// Adds an HEVC image.
    @discardableResult
    public mutating func image(_ coded: Coded, properties: [Int] = []) -> Int {
        let size = property("ispe", Self.size(coded.size))
        let configuration = property("hvcC", coded.configuration)
        return item("hvc1", coded.data, properties: [size, -configuration] + properties)
    }

    /// Adds a grid of images of the same size.
    @discardableResult
    public mutating func grid(
        _ tiles: [Int], columns: Int, size: PixelSize, properties: [Int] = []
    ) -> Int {
        let rows = tiles.count / columns
        let content =
            Data([0, 1, UInt8(rows - 1), UInt8(columns - 1)])
            + Self.number(size.width) + Self.number(size.height)
        let extent = property("ispe", Self.size(size))
        let grid = item("grid", content, properties: [extent] + properties)
        reference("dimg", from: grid, to: tiles)
        return grid
    }

    public mutating func reference(_ name: String, from source: Int, to targets: [Int]) {
        let ids = targets.reduce(Data()) { $0 + Self.number($1, idLength) }
        references += Self.box(name, Self.number(source, idLength) + Self.number(targets.count, 2) + ids)
    }

    /// Returns the file.
    public func file() -> Data {
        let type = Self.box(
            "ftyp", Data(brands[0].utf8) + Self.number(0) + Data(brands.dropFirst().joined().utf8))
        // The length of the meta box does not depend on the offset of the data.
        let offset = type.count + meta(offset: 0).count + 8
        return type + meta(offset: offset) + Self.box("mdat", Data(items.map(\.data).joined()))
    }

    /// The version of boxes with numbers of items: 0, or the one in which they have 4 bytes.
    private func version(_ long: Int) -> Data { Self.number(idLength == 2 ? 0 : long << 24) }

    private func meta(offset: Int) -> Data {
        var content = Self.number(0)
        content += Self.box("hdlr", Self.number(0) + Self.number(0) + Data("pict".utf8) + Data(count: 13))
        if primary > 0 { content += Self.box("pitm", version(1) + Self.number(primary, idLength)) }
        content += Self.box(
            "iinf", version(1) + Self.number(items.count, idLength) + Data(items.map(entry).joined()))
        content += Self.box("iloc", locations(from: offset))
        if !references.isEmpty { content += Self.box("iref", version(1) + references) }
        let associations = version(1) + Self.number(items.count) + Data(items.map(association).joined())
        content += Self.box(
            "iprp", Self.box("ipco", Data(properties.joined())) + Self.box("ipma", associations))
        return Self.box("meta", content)
    }

    private func entry(_ item: Item) -> Data {
        let media = item.type == "mime" ? Data("application/rdf+xml\0".utf8) : Data()
        let content = Self.number(item.id, idLength) + Self.number(0, 2) + Data(item.type.utf8) + Data([0]) + media
        return Self.box("infe", Self.number(idLength == 2 ? 2 << 24 : 3 << 24) + content)
    }

    private func association(_ item: Item) -> Data {
        let indices = item.properties.map { UInt8($0 < 0 ? 0x80 | -$0 : $0) }
        return Self.number(item.id, idLength) + Self.number(indices.count, 1) + Data(indices)
    }

    private func locations(from offset: Int) -> Data {
        var (content, position) = (version(2) + Self.number(0x4400, 2) + Self.number(items.count, idLength), offset)
        for item in items {
            // From version 1 on, they say that the data is in the file.
            content += Self.number(item.id, idLength) + Data(count: idLength == 2 ? 0 : 2)
            content += Self.number(0, 2) + Self.number(1, 2)
            content += Self.number(position) + Self.number(item.data.count)
            position += item.data.count
        }
        return content
    }

    public static func box(_ name: String, _ content: Data) -> Data {
        number(content.count + 8) + Data(name.utf8) + content
    }

    public static func number(_ value: Int, _ length: Int = 4) -> Data {
        Data((0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    /// Properties for the luminance of HDR, and the peak in cd/m² that they give.
    public static let luminances: [(properties: [(String, Data)], peak: Double?)] = {
        let mastering = ("mdcv", Data(count: 16) + number(40_000_000) + number(50))
        let (content, unknown) = (("clli", number(1200, 2) + number(400, 2)), ("clli", Data(count: 4)))
        return [
            ([], nil), ([mastering, content], 1200), ([content], 1200), ([unknown, mastering], 4000),
            ([unknown], nil),
            ([("clli", Data([1]))], nil),
        ]
    }()

    /// Returns the content of an `ispe` box.
    public static func size(_ size: PixelSize) -> Data { number(0) + number(size.width) + number(size.height) }

    /// Returns the content of a `colr` box with code points of H.273.
    public static func color(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) -> Data {
        Data("nclx".utf8) + number(primaries, 2) + number(transfer, 2) + number(matrix, 2)
            + Data([isFullRange ? 0x80 : 0])
    }

    /// Returns the content of a `clap` box. The offsets are in halves of a pixel.
    public static func aperture(_ size: PixelSize, offset: (x: Int, y: Int)) -> Data {
        number(size.width) + number(1) + number(size.height) + number(1) + number(offset.x) + number(2)
            + number(offset.y) + number(2)
    }
}
