package import ImageCore

/// The chunks of a PNG file (W3C PNG, section 5).
package struct PNGFile {
    package struct Chunk {
        package var type: String
        package var body: Data

        package init(type: String, body: Data) {
            self.type = type
            self.body = body
        }
    }

    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    private static let xmpKeyword = Data("XML:com.adobe.xmp".utf8) + [0]
    private static let colorChunks: Set = ["iCCP", "sRGB", "gAMA", "cHRM", "cICP"]
    /// The chunks that decide how pixels look.
    private static let imageChunks = colorChunks.union([
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "sBIT", "bKGD", "pHYs", "mDCV", "cLLI", "acTL", "fcTL", "fdAT",
    ])

    package var chunks: [Chunk] = []

    /// Throws `.malformed` if the chunks are damaged. Checksums are not verified.
    package init(_ file: Data) throws(ImageDecodingError) {
        var offset = 8
        while chunks.last?.type != "IEND" {
            guard file.starts(with: Self.signature), let length = file.bigEndian(at: offset, 4),
                let type = file.name(at: offset + 4), let body = file.part(at: offset + 8, length),
                file.part(at: offset + 8 + length, 4) != nil
            else { throw .malformed(.png, "a chunk is damaged") }
            chunks.append(Chunk(type: type, body: body))
            offset += 12 + length
        }
        if chunks.first?.type != "IHDR" { throw .malformed(.png, "the header isn't the first chunk") }
    }

    package init(chunks: [Chunk]) { self.chunks = chunks }

    package var data: Data {
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
    package var isAnimated: Bool {
        chunks.prefix { $0.type != "IDAT" }.contains { $0.type == "acTL" && $0.body.bigEndian(at: 0, 4) ?? 0 > 1 }
    }

    /// The Exif block, and the XMP packet unless it is compressed.
    var metadata: EmbeddedMetadata {
        let texts = chunks.filter { $0.type == "iTXt" && $0.body.starts(with: Self.xmpKeyword + [0, 0]) }
        // The keyword, two flags, then a language and a translated keyword, which end with zeros.
        let xmp = texts.first?.body.dropFirst(Self.xmpKeyword.count + 2).split(
            separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        return EmbeddedMetadata(
            exif: chunks.first { $0.type == "eXIf" }.map { ExifBlock.withoutPrefix($0.body) },
            xmp: xmp?.count == 3 ? xmp?.last.map { Data($0) } : nil)
    }

    /// Whether there are texts that aren't read as XMP.
    var hasOtherMetadata: Bool {
        chunks.contains { chunk in
            ["tEXt", "zTXt", "iTXt"].contains(chunk.type) && !chunk.body.starts(with: Self.xmpKeyword + [0, 0])
        }
    }

    /// Replaces the Exif block and the XMP packet before the pixels.
    ///
    /// - Parameter profile: An ICC profile as a zlib stream. It replaces the other chunks that describe colors.
    func replacing(_ metadata: EmbeddedMetadata, profile: Data? = nil) -> PNGFile {
        var added: [Chunk] = []
        if let profile { added.append(Chunk(type: "iCCP", body: Data("icc".utf8) + [0, 0] + profile)) }
        if let exif = metadata.exif { added.append(Chunk(type: "eXIf", body: exif)) }
        if let xmp = metadata.xmp { added.append(Chunk(type: "iTXt", body: Self.xmpKeyword + [0, 0, 0, 0] + xmp)) }
        var file = self
        file.chunks.removeAll { Self.isMetadata($0) || profile != nil && Self.colorChunks.contains($0.type) }
        file.chunks.insert(contentsOf: added, at: min(1, file.chunks.count))
        return file
    }

    /// Whether a chunk has Exif or XMP. ImageMagick writes it as a text.
    private static func isMetadata(_ chunk: Chunk) -> Bool {
        switch chunk.type {
        case "eXIf": true
        case "iTXt": chunk.body.starts(with: xmpKeyword)
        case "tEXt", "zTXt": chunk.body.starts(with: "Raw profile type".utf8)
        default: false
        }
    }

    /// The file without texts, times and what else is not needed to show the image.
    var onlyImage: PNGFile { PNGFile(chunks: chunks.filter { Self.imageChunks.contains($0.type) }) }
}

/// A zlib stream (RFC 1950) without compression (RFC 1951, section 3.2.4).
enum ZlibStream {
    static func stored(_ data: Data) -> Data {
        var stream = Data([0x78, 0x01])
        let starts = data.isEmpty ? [0] : Array(stride(from: 0, to: data.count, by: 65_535))
        for start in starts {
            let part = data.dropFirst(start).prefix(65_535)
            stream.append(start == starts.last ? 1 : 0)
            stream.append(littleEndian: UInt16(part.count))
            stream.append(littleEndian: ~UInt16(part.count))
            stream += part
        }
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        stream.append(bigEndian: b << 16 | a)
        return stream
    }
}

extension Data {
    /// The name of a chunk, which is ASCII (W3C PNG, section 5.3; RFC 9649, section 2.3). Nil for others: they would not be
    /// written as they were read.
    func name(at offset: Int) -> String? {
        part(at: offset, 4).flatMap { $0.allSatisfy { $0 < 0x80 } ? String(decoding: $0, as: UTF8.self) : nil }
    }
}
