package import ImageCore

/// The chunks of a WebP file (RFC 9649, section 2).
package struct WebPFile {
    package struct Chunk {
        package var type: String
        package var body: Data
    }

    package private(set) var chunks: [Chunk] = []

    /// Throws `.malformed` if the chunks are damaged.
    package init(_ file: Data) throws(ImageDecodingError) {
        guard file.starts(with: "RIFF".utf8), let length = file.littleEndian(at: 4, 4) else {
            throw .malformed(.webP, "the header is damaged")
        }
        let end = min(file.count - 8, length) + 8
        var offset = 12
        while offset < end {
            guard let type = file.name(at: offset), let length = file.littleEndian(at: offset + 4, 4),
                let body = file.part(at: offset + 8, length)
            else { throw .malformed(.webP, "a chunk is damaged") }
            chunks.append(Chunk(type: type, body: body))
            offset += 8 + length + length % 2
        }
    }

    var data: Data {
        var content = Data("WEBP".utf8)
        for chunk in chunks {
            content.append(contentsOf: chunk.type.utf8)
            content.append(littleEndian: UInt32(chunk.body.count))
            content.append(chunk.body)
            if chunk.body.count % 2 == 1 { content.append(0) }
        }
        var data = Data("RIFF".utf8)
        data.append(littleEndian: UInt32(content.count))
        return data + content
    }

    var metadata: EmbeddedMetadata {
        EmbeddedMetadata(
            exif: chunks.first { $0.type == "EXIF" }.map { ExifBlock.withoutPrefix($0.body) },
            xmp: chunks.first { $0.type == "XMP " }.map { Data($0.body) })
    }

    /// Replaces the metadata, but keeps the profile if there is no other. Throws `.malformed` if its first image is
    /// damaged.
    func replacing(_ metadata: EmbeddedMetadata) throws(ImageDecodingError) -> WebPFile {
        var metadata = metadata.keeping([.exif, .icc, .xmp])
        metadata.icc = metadata.icc ?? chunks.first { $0.type == "ICCP" }?.body
        guard let header = extendedHeader(metadata) else { throw .malformed(.webP, "the first image is damaged") }
        let replaced = ["VP8X", "ICCP", "EXIF", "XMP "]
        var file = self
        file.chunks.removeAll { replaced.contains($0.type) }
        if metadata.blocks.isEmpty, file.chunks.count == 1, file.simpleHeader != nil { return file }
        var first = [Chunk(type: "VP8X", body: header)]
        if let icc = metadata.icc { first.append(Chunk(type: "ICCP", body: icc)) }
        file.chunks.insert(contentsOf: first, at: 0)
        if let exif = metadata.exif { file.chunks.append(Chunk(type: "EXIF", body: exif)) }
        if let xmp = metadata.xmp { file.chunks.append(Chunk(type: "XMP ", body: xmp)) }
        return file
    }

    /// The file without unknown chunks.
    var onlyImage: WebPFile {
        var file = self
        file.chunks.removeAll { !["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"].contains($0.type) }
        return file
    }

    /// The VP8X chunk for other metadata: that of the file, or one that is made from its only image.
    private func extendedHeader(_ metadata: EmbeddedMetadata) -> Data? {
        guard var header = chunks.first(where: { $0.type == "VP8X" }).map({ Data($0.body) }) ?? simpleHeader,
            header.count == 10
        else { return nil }
        let flags: [EmbeddedMetadata.Block: UInt8] = [.icc: 0x20, .exif: 0x08, .xmp: 0x04]
        header[0] = metadata.blocks.reduce(header[0] & ~0x2C) { $0 | (flags[$1] ?? 0) }
        return header
    }

    /// The VP8X chunk of a file that has only an image (RFC 9649, sections 2.7.1, 3.4; RFC 6386, section 9.1).
    private var simpleHeader: Data? {
        guard let image = chunks.first, ["VP8 ", "VP8L"].contains(image.type), image.body.count >= 10 else {
            return nil
        }
        let isLossless = image.type == "VP8L"
        guard let bits = image.body.littleEndian(at: 1, 4, as: UInt32.self),
            let sides = image.body.littleEndian(at: 6, 4, as: UInt32.self)
        else { return nil }
        let width = isLossless ? bits & 0x3FFF : sides & 0x3FFF &- 1
        let height = isLossless ? bits >> 14 & 0x3FFF : sides >> 16 & 0x3FFF &- 1
        let hasAlpha = isLossless && bits >> 28 & 1 == 1
        var header = Data([hasAlpha ? 0x10 : 0, 0, 0, 0])
        for side in [width, height] { header += [UInt8(side & 255), UInt8(side >> 8 & 255), UInt8(side >> 16 & 255)] }
        return header
    }
}
