import ImageCore

/// The records of IPTC (IIM 4.2) in a JPEG file: a resource in segments of Photoshop.
enum IPTCRecords {
    static let prefix = Data("Photoshop 3.0".utf8) + [0]
    private static let signature = Data("8BIM".utf8)
    private static let resource = 0x0404

    /// Reads the records from the bodies of segments. Resources can be divided between segments. Those after the first
    /// 1,000 are not read.
    static func read(_ segments: [Data]) -> Data? {
        let resources = Data(segments.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count) }.joined())
        var offset = 0
        for _ in 0..<1_000 {
            guard resources.part(at: offset, 4) == signature, let type = resources.bigEndian(at: offset + 4, 2),
                let nameLength = resources.bigEndian(at: offset + 6, 1)
            else { return nil }
            // A name with its length, and a content, have an even number of bytes.
            let start = offset + 6 + (nameLength + 2) / 2 * 2
            guard let length = resources.bigEndian(at: start, 4), let content = resources.part(at: start + 4, length)
            else {
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

extension IPTCRecords {
    private struct DataSet {
        /// The number of the record and that in it.
        var number: Int
        var data: Data
        var text: Data { data.dropFirst(5) }
    }

    /// By-line and its title, credit, source, copyright notice and contact, in record 2.
    private static let kept: Set = [80, 85, 110, 115, 116, 118]

    /// Returns the data sets about rights and people, with those that tell the version and the character set. Returns nil
    /// if none is about rights and people.
    static func rights(_ records: Data) -> Data? {
        let sets = dataSets(records)
        func isKept(_ number: Int) -> Bool { number >> 8 == 2 && kept.contains(number & 255) }
        guard sets.contains(where: { isKept($0.number) }) else { return nil }
        // 1:90 is the character set, 2:0 is the version.
        let result = sets.filter { isKept($0.number) || $0.number == 1 << 8 | 90 || $0.number == 2 << 8 }
        return Data(result.map(\.data).joined())
    }

    /// Returns the text of the first data set of record 2 with a number, read as UTF-8.
    static func text(of number: Int, in records: Data) -> String? {
        dataSets(records).first { $0.number == 2 << 8 | number }.flatMap { String(trimming: $0.text) }
    }

    /// Reads up to a data set that is damaged or longer than 32,767 bytes.
    private static func dataSets(_ records: Data) -> [DataSet] {
        var sets: [DataSet] = []
        var offset = 0
        while records.bigEndian(at: offset, 1) == 0x1C, let number = records.bigEndian(at: offset + 1, 2),
            let length = records.bigEndian(at: offset + 3, 2), length < 0x8000,
            let data = records.part(at: offset, 5 + length)
        {
            sets.append(DataSet(number: number, data: data))
            offset += 5 + length
        }
        return sets
    }
}
