import ISOBoxes
import ImageCore

/// The boxes of a JPEG XL file (ISO/IEC 18181-2, sections 9.5 and 9.6).
struct JXLFile {
    private struct Part {
        var name: String
        var content: Data
    }

    /// The boxes of the file. A code stream without boxes is the only one.
    private var parts: [Part]
    private let file: Data
    private static let metadataNames: Set = ["Exif", "xml ", "brob"]
    private static let imageNames: Set = ["JXL ", "ftyp", "jxlc", "jxlp", "jxll", "jxli"]

    /// Throws `.malformed` if there are more than 10,000 boxes, or if the last one exceeds the file.
    init(_ file: Data) throws(ImageDecodingError) {
        self.file = file
        parts = []
        guard !file.starts(with: [0xFF, 0x0A]) else { return }
        var reader = BoxReader(file, format: .jpegXL)
        for box in try reader.boxes(in: 0..<file.count) {
            // Others would not be written as they were read.
            guard box.name.utf8.allSatisfy({ $0 < 0x80 }) else { throw .malformed(.jpegXL, "a box has no name") }
            parts.append(Part(name: box.name, content: reader.bytes(in: box.content)))
        }
    }

    /// The Exif block and the XMP packet. Those that are compressed with Brotli count as missing.
    var metadata: EmbeddedMetadata {
        func content(_ name: String) -> Data? { parts.first { $0.name == name }.map { Data($0.content) } }
        return EmbeddedMetadata(exif: content("Exif").flatMap(ExifBlock.withoutOffset), xmp: content("xml "))
    }

    /// Whether there is metadata that is compressed with Brotli.
    var hasCompressedMetadata: Bool { parts.contains { $0.name == "brob" } }

    /// Whether there are content credentials (C2PA).
    var hasManifest: Bool { parts.contains { $0.name == "jumb" && Data("jumb".utf8 + $0.content).isManifest } }

    var data: Data { parts.isEmpty ? file : parts.reduce(into: Data()) { $0.append(box: $1.name, $1.content) } }

    /// The file without boxes that are not needed to show the image.
    var onlyImage: JXLFile {
        var file = self
        file.parts.removeAll { !Self.imageNames.contains($0.name) }
        return file
    }

    /// Replaces the boxes of metadata. Puts a code stream into a container.
    func replacing(_ metadata: EmbeddedMetadata) -> JXLFile {
        var added: [Part] = []
        if let exif = metadata.exif { added.append(Part(name: "Exif", content: Data(count: 4) + exif)) }
        if let xmp = metadata.xmp { added.append(Part(name: "xml ", content: xmp)) }
        var file = self
        file.parts.removeAll { Self.metadataNames.contains($0.name) }
        if file.parts.isEmpty, !added.isEmpty {
            file.parts = [
                Part(name: "JXL ", content: Data([0x0D, 0x0A, 0x87, 0x0A])),
                Part(name: "ftyp", content: Data("jxl ".utf8) + [0, 0, 0, 0] + Data("jxl ".utf8)),
                Part(name: "jxlc", content: self.file),
            ]
        }
        file.parts += added
        return file
    }
}

extension Data {
    /// Appends a box of the ISO base media file format (ISO/IEC 14496-12, 4.2).
    mutating func append(box name: String, _ content: Data) {
        let isLarge = content.count > Int(Int32.max) - 8
        append(bigEndian: isLarge ? 1 : UInt32(content.count + 8))
        append(contentsOf: name.utf8)
        if isLarge { append(bigEndian: UInt64(content.count) + 16) }
        append(content)
    }

    /// Creates a box.
    init(box name: String, _ content: Data) {
        self.init()
        append(box: name, content)
    }
}
