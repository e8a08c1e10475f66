import Foundation

/// A box of a file, such as AVIF, HEIC or JPEG XL (ISO/IEC 14496-12, section 4.2).
struct FileBox {
    var name: String
    var content: Data
    /// The box with its header.
    var data: Data

    init(_ name: String, _ content: Data) {
        self.name = name
        self.content = content
        data = Data()
        data.append(bigEndian: UInt32(content.count + 8))
        data += Data(name.utf8) + content
    }

    private init(name: Data, content: Data, data: Data) {
        self.name = String(decoding: name, as: UTF8.self)
        self.content = content
        self.data = data
    }

    /// Returns the boxes up to one that is damaged, at most 10,000.
    static func boxes(in data: Data) -> [FileBox] {
        var boxes: [FileBox] = []
        var offset = 0
        while boxes.count < 10_000, let size = data.bigEndian(at: offset, 4), let name = data.part(offset + 4, 4) {
            let header = size == 1 ? 16 : 8
            // A size of 0 means up to the end.
            let length = size == 1 ? data.bigEndian(at: offset + 8, 8) ?? 0 : size == 0 ? data.count - offset : size
            guard length >= header, let box = data.part(offset, length) else { break }
            boxes.append(FileBox(name: name, content: box.dropFirst(header), data: box))
            offset += length
        }
        return boxes
    }
}

/// Reads consecutive parts of a box. Functions return nil beyond its end.
struct BoxFields {
    private(set) var rest: Data
    /// The version of a full box (ISO/IEC 14496-12, section 4.2.2).
    let version: Int

    /// Reads the version and the flags.
    init?(_ box: FileBox) {
        guard let version = box.content.bigEndian(at: 0, 1), box.content.count >= 4 else { return nil }
        self.version = version
        rest = box.content.dropFirst(4)
    }

    mutating func bytes(_ count: Int) -> Data? {
        guard let bytes = rest.part(0, count) else { return nil }
        rest = rest.dropFirst(count)
        return bytes
    }

    /// Reads a number of up to 4 bytes, or one of 8 bytes that is less than 2^63.
    mutating func number(_ count: Int) -> Int? {
        guard let number = bytes(count)?.bigEndian(at: 0, count), number >= 0 else { return nil }
        return number
    }
}
