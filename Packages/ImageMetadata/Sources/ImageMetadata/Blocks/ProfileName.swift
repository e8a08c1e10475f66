import ImageCore

/// The name of an ICC profile (ICC.1:2022, sections 9.2.41 and 10.15; ICC.1:2001, section 6.5.17).
enum ProfileName {
    static func of(_ profile: Data) -> String? {
        guard let tag = ICCProfile.tag("desc", of: profile) else { return nil }
        if tag.starts(with: "desc".utf8), let count = tag.bigEndian(at: 8, 4) {
            return tag.part(at: 12, count).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        guard let length = tag.bigEndian(at: 20, 4), let offset = tag.bigEndian(at: 24, 4),
            let text = tag.part(at: offset, length)
        else { return nil }
        let units = stride(from: 0, to: length - 1, by: 2).compactMap { text.bigEndian(at: $0, 2, as: UInt16.self) }
        return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    }
}
