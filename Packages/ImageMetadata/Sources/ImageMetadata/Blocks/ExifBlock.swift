package import ImageCore

/// An Exif block (CIPA DC-008, section 4.5): a TIFF file.
package enum ExifBlock {
    static let prefix = Data("Exif".utf8) + [0, 0]

    /// Removes the prefix that JPEG and some WebP files have.
    static func withoutPrefix(_ data: Data) -> Data { Data(data.starts(with: prefix) ? data.dropFirst(6) : data) }

    /// Skips the offset of the block and the bytes before it (ISO/IEC 23008-12, A.2.1). Returns nil if no block follows.
    static func withoutOffset(_ item: Data) -> Data? {
        guard let offset = item.bigEndian(at: 0, 4), offset < item.count - 4 else { return nil }
        let block = withoutPrefix(item.dropFirst(4 + offset))
        return TIFFReader(block) == nil ? nil : block
    }

    /// Returns a block that has only an orientation.
    package static func orientation(_ orientation: ImageOrientation) -> Data {
        Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0])
            + [UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    }

    /// Returns the block of an image whose pixels are upright: its orientation is 1, and it refers to no thumbnail,
    /// which would be turned.
    static func upright(_ exif: Data) -> Data {
        guard let reader = TIFFReader(exif), let directory = reader.firstDirectory else { return exif }
        var bytes = Data(reader.data)
        var end = directory + 2
        for entry in reader.entries(of: directory) {
            end = entry.field + 4
            guard entry.tag == 0x0112, let size = [3: 2, 4: 4][entry.type], bytes.part(at: entry.field, size) != nil
            else { continue }
            bytes.resetBytes(in: entry.field..<entry.field + size)
            bytes[entry.field + (reader.isLittleEndian ? 0 : size - 1)] = 1
        }
        if bytes.part(at: end, 4) != nil { bytes.resetBytes(in: end..<end + 4) }
        return bytes
    }
}

extension ExifBlock {
    /// Tags of the first directory (CIPA DC-008, section 4.6.4).
    private enum Tag {
        static let artist = 0x013B, copyright = 0x8298, details = 0x8769
    }

    /// Make, model, orientation, resolution, date, position of color samples, artist and copyright.
    private static let harmless: Set = [
        0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0132, 0x0213, Tag.artist, Tag.copyright,
    ]

    /// Of the second directory: exposure, versions, dates, light, sizes, settings and lens (section 4.6.5).
    private static let harmlessDetails = Set(
        [
            0x829A...0x829A, 0x829D...0x829D, 0x8822...0x8822, 0x8827...0x8827, 0x8830...0x8835, 0x9000...0x9000,
            0x9003...0x9004, 0x9010...0x9012, 0x9101...0x9102, 0x9201...0x920A, 0x9290...0x9292, 0xA000...0xA003,
            0xA20E...0xA210, 0xA215...0xA217, 0xA300...0xA302, 0xA401...0xA40A, 0xA40C...0xA40C, 0xA432...0xA434,
        ].joined())

    /// Returns a block with the artist and the copyright only; nil if there is neither.
    static func rights(_ exif: Data) -> Data? { keeping([Tag.artist, Tag.copyright], [], of: exif) }

    /// Returns a block without what tells of persons and places other than the artist. Nil if nothing is left.
    static func withoutPrivateData(_ exif: Data) -> Data? { keeping(harmless, harmlessDetails, of: exif) }

    /// Returns a new block with these tags of the first directory and of that for details, in the order of the bytes of
    /// the old one.
    ///
    /// Leaves out values of more than 4,096 bytes, which could be a part of the block many times, and empty texts.
    private static func keeping(_ tags: Set<Int>, _ detailTags: Set<Int>, of exif: Data) -> Data? {
        guard let reader = TIFFReader(exif), let directory = reader.firstDirectory else { return nil }
        var entries = kept(tags, of: directory, reader)
        let details =
            reader.entries(of: directory).first { $0.tag == Tag.details }.flatMap(reader.integer(of:))
            .map { kept(detailTags, of: $0, reader) } ?? []
        guard !entries.isEmpty || !details.isEmpty else { return nil }
        let block = TIFFWriter(isLittleEndian: reader.isLittleEndian)
        if details.isEmpty { return block.data(entries) }
        var pointer = TIFFWriter.Entry(tag: Tag.details, type: 4, count: 1, value: Data(count: 4))
        let length = block.data(entries + [pointer]).count
        pointer.value = block.bytes(of: UInt32(length))
        entries.append(pointer)
        return block.data(entries) + block.directory(details, at: length)
    }

    private static func kept(_ tags: Set<Int>, of directory: Int, _ reader: TIFFReader) -> [TIFFWriter.Entry] {
        var rest = tags
        return reader.entries(of: directory).compactMap { entry in
            guard rest.remove(entry.tag) != nil, let value = reader.bytes(of: entry), value.count <= 4_096,
                entry.type != 2 || value.contains(where: { $0 != 0 && $0 != 0x20 })
            else { return nil }
            return TIFFWriter.Entry(tag: entry.tag, type: entry.type, count: entry.count, value: value)
        }
    }
}

/// Writes directories of a TIFF file (TIFF 6.0, section 2).
private struct TIFFWriter {
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        var value: Data
    }

    let isLittleEndian: Bool

    /// Returns a file with one directory.
    func data(_ entries: [Entry]) -> Data {
        Data(isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + bytes(of: UInt16(42)) + bytes(of: UInt32(8))
            + directory(entries, at: 8)
    }

    /// Returns a directory for an offset, with its values. Entries are in the order of their tags.
    func directory(_ entries: [Entry], at offset: Int) -> Data {
        let start = offset + 2 + 12 * entries.count + 4
        var (table, values) = (bytes(of: UInt16(entries.count)), Data())
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            table += bytes(of: UInt16(entry.tag)) + bytes(of: UInt16(entry.type)) + bytes(of: UInt32(entry.count))
            if entry.value.count <= 4 {
                table += entry.value + Data(count: 4 - entry.value.count)
            } else {
                table += bytes(of: UInt32(start + values.count))
                // Values start at even offsets.
                values += entry.value + Data(count: entry.value.count % 2)
            }
        }
        return table + Data(count: 4) + values
    }

    func bytes(of integer: some FixedWidthInteger) -> Data {
        var bytes = Data()
        if isLittleEndian { bytes.append(littleEndian: integer) } else { bytes.append(bigEndian: integer) }
        return bytes
    }
}
