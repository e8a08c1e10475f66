import Foundation

/// The records of IPTC (IIM 4.2) in a JPEG file: a resource in segments of Photoshop.
enum IPTCRecords {
    private static let prefix = Data("Photoshop 3.0".utf8) + [0]
    private static let signature = Data("8BIM".utf8)
    private static let resource = 0x0404

    /// Reads the records from the bodies of segments. Resources can be divided between segments. Those after the first
    /// 1,000 are not read.
    static func read(_ segments: [Data]) -> Data? {
        let resources = Data(segments.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count) }.joined())
        var offset = 0
        for _ in 0..<1_000 {
            guard resources.part(offset, 4) == signature, let type = resources.bigEndian(at: offset + 4, 2),
                let nameLength = resources.bigEndian(at: offset + 6, 1)
            else { return nil }
            // A name with its length, and a content, have an even number of bytes.
            let start = offset + 6 + (nameLength + 2) / 2 * 2
            guard let length = resources.bigEndian(at: start, 4), let content = resources.part(start + 4, length) else {
                return nil
            }
            if type == resource { return content.isEmpty ? nil : Data(content) }
            offset = start + 4 + (length + 1) / 2 * 2
        }
        return nil
    }

    /// Returns the body of a segment that has only records.
    static func segment(_ records: Data) -> Data {
        var body = prefix + signature
        body.append(bigEndian: UInt16(resource))
        body += [0, 0]
        body.append(bigEndian: UInt32(records.count))
        return body + records + Data(count: records.count % 2)
    }
}
