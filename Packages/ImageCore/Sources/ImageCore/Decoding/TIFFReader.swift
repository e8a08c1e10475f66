/// Reads the directories of a TIFF file (TIFF 6.0, section 2), for example of an Exif block. Checks all bounds.
///
/// Follows no chain of directories, so that one which refers to itself ends.
package struct TIFFReader {
    /// An entry of a directory.
    package struct Entry {
        package let tag: Int
        /// The type of a value: 2 for ASCII, 3 for SHORT, 4 for LONG, 5 for RATIONAL.
        package let type: Int
        /// The declared number of values.
        package let count: Int
        /// The offset of the field with the value or with its offset.
        package let field: Int
    }

    /// The file, without the prefix of an Exif block.
    package let data: Data
    package let isLittleEndian: Bool

    /// Returns nil without the byte order and the number 42. Skips the prefix `Exif` and two zeros, which blocks in JPEG
    /// and some WebP files have (CIPA DC-008, section 4.7.2).
    package init?(_ file: Data) {
        data = file.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) ? file.dropFirst(6) : file
        isLittleEndian = data.starts(with: [0x49, 0x49, 42, 0])
        guard isLittleEndian || data.starts(with: [0x4D, 0x4D, 0, 42]) else { return nil }
    }

    /// The offset of the first directory, or nil beyond the end.
    package var firstDirectory: Int? { directory(pointedToAt: 4) }

    /// Returns the offset of the directory after another one, or nil if there is none.
    func directory(after directory: Int) -> Int? {
        integer(at: directory, 2).flatMap { self.directory(pointedToAt: directory + 2 + 12 * $0) }
    }

    /// Returns the offset of a directory, or nil beyond the end.
    func directory(pointedToAt position: Int) -> Int? {
        integer(at: position, 4).flatMap { $0 > 0 && integer(at: $0, 2) != nil ? $0 : nil }
    }

    /// Returns the entries of a directory up to the end of the file, at most 65,535.
    package func entries(of directory: Int) -> some Sequence<Entry> {
        (0..<(integer(at: directory, 2) ?? 0)).lazy.map { directory + 2 + 12 * $0 }.prefix {
            data.part(at: $0, 8) != nil
        }.map { entry in
            Entry(
                tag: integer(at: entry, 2) ?? 0, type: integer(at: entry + 2, 2) ?? 0,
                count: integer(at: entry + 4, 4) ?? .max, field: entry + 8)
        }
    }

    /// Returns an integer of up to 8 bytes in the byte order of the file, or nil beyond the end.
    package func integer(at offset: Int, _ byteCount: Int) -> Int? {
        isLittleEndian ? data.littleEndian(at: offset, byteCount) : data.bigEndian(at: offset, byteCount)
    }

    /// Returns the value of an entry with one SHORT or LONG.
    package func integer(of entry: Entry) -> Int? {
        guard entry.count == 1, entry.type == 3 || entry.type == 4 else { return nil }
        return integer(at: entry.field, entry.type == 3 ? 2 : 4)
    }

    /// Returns the bytes of all values of an entry, or nil beyond the end and for an unknown type.
    package func bytes(of entry: Entry) -> Data? {
        let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
        guard sizes.indices.contains(entry.type), case let size = sizes[entry.type], size > 0,
            entry.count <= data.count / size
        else { return nil }
        let byteCount = size * entry.count
        let start = byteCount <= 4 ? entry.field : integer(at: entry.field, 4)
        return start.flatMap { data.part(at: $0, byteCount) }
    }
}
