import Foundation

/// The chunks of a PNG file (W3C PNG, section 5).
struct PNGFile {
    struct Chunk {
        var type: String
        var body: Data
    }

    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    private static let xmpKeyword = Data("XML:com.adobe.xmp".utf8) + [0]

    var chunks: [Chunk] = []

    /// Returns nil if the chunks are damaged. Checksums are not verified.
    init?(_ file: Data) {
        guard file.starts(with: Self.signature) else { return nil }
        var offset = 8
        while chunks.last?.type != "IEND" {
            guard let length = file.bigEndian(at: offset, 4), let type = file.part(offset + 4, 4),
                let body = file.part(offset + 8, length), file.part(offset + 8 + length, 4) != nil
            else { return nil }
            chunks.append(Chunk(type: String(decoding: type, as: UTF8.self), body: body))
            offset += 12 + length
        }
    }

    init(chunks: [Chunk]) { self.chunks = chunks }

    var data: Data {
        chunks.reduce(into: Self.signature) { data, chunk in
            let content = Data(chunk.type.utf8) + chunk.body
            data.append(bigEndian: UInt32(chunk.body.count))
            data.append(content)
            data.append(bigEndian: Self.checksum(content))
        }
    }

    /// The CRC-32 of the type and the body of a chunk (W3C PNG, annex D).
    private static func checksum(_ content: Data) -> UInt32 {
        ~content.reduce(~UInt32(0)) { crcTable[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }

    private static let crcTable = (UInt32(0)..<256).map { index in
        (0..<8).reduce(index) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    /// Whether the file is an animation (W3C PNG, section 11.3.7.1).
    var isAnimated: Bool {
        chunks.prefix { $0.type != "IDAT" }.contains { $0.type == "acTL" && $0.body.bigEndian(at: 0, 4) ?? 0 > 1 }
    }

    /// The Exif block, and the XMP packet unless it is compressed.
    var metadata: ImageMetadata {
        let texts = chunks.filter { $0.type == "iTXt" && $0.body.starts(with: Self.xmpKeyword + [0, 0]) }
        // The keyword, two flags, then a language and a translated keyword, which end with zeros.
        let xmp = texts.first?.body.dropFirst(Self.xmpKeyword.count + 2).split(
            separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        return ImageMetadata(
            exif: chunks.first { $0.type == "eXIf" }.map { ExifBlock.withoutPrefix($0.body) },
            xmp: xmp?.count == 3 ? xmp?.last.map { Data($0) } : nil)
    }

    /// Adds an Exif block and an XMP packet before the pixels.
    ///
    /// - Parameter profile: An ICC profile as a zlib stream. It replaces the other chunks that describe colors.
    func adding(_ metadata: ImageMetadata, profile: Data? = nil) -> PNGFile {
        var added: [Chunk] = []
        if let profile { added.append(Chunk(type: "iCCP", body: Data("icc".utf8) + [0, 0] + profile)) }
        if let exif = metadata.exif { added.append(Chunk(type: "eXIf", body: exif)) }
        if let xmp = metadata.xmp { added.append(Chunk(type: "iTXt", body: Self.xmpKeyword + [0, 0, 0, 0] + xmp)) }
        var file = self
        if profile != nil { file.chunks.removeAll { ["iCCP", "sRGB", "gAMA", "cHRM", "cICP"].contains($0.type) } }
        file.chunks.insert(contentsOf: added, at: 1)
        return file
    }
}
