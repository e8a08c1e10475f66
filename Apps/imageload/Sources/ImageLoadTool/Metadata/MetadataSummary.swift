import Foundation

/// What an Exif block says about a photograph (CIPA DC-008, sections 4.6.4, 4.6.5).
struct ExifSummary: Encodable, Hashable, Sendable {
    var make: String?
    var model: String?
    /// When the photograph was taken, as stored: `YYYY:MM:DD HH:MM:SS`.
    var date: String?
    /// Whether the block contains a position.
    var hasLocation: Bool

    init(_ tiff: Data) {
        let reader = TIFFReader(tiff)
        let main = reader.directory(at: reader.number(at: 4, 4) ?? 0)
        make = main[0x010F].flatMap(reader.text)
        model = main[0x0110].flatMap(reader.text)
        let details = main[0x8769].flatMap { reader.number(at: $0 + 8, 4) }.map(reader.directory(at:)) ?? [:]
        date = (details[0x9003] ?? main[0x0132]).flatMap(reader.text)
        hasLocation = main[0x8825] != nil
    }

    /// A human-readable text, such as `Canon EOS 5D, 2024:05:01 12:00:00, location`.
    var text: String {
        let camera = [make, model].compactMap(\.self).joined(separator: " ")
        return [camera.isEmpty ? nil : camera, date, hasLocation ? "location" : nil].compactMap(\.self).joined(
            separator: ", ")
    }
}

/// Reads the directories of a TIFF file. All functions check bounds.
struct TIFFReader {
    private let data: Data
    let isLittleEndian: Bool

    init(_ data: Data) {
        self.data = data
        isLittleEndian = data.first == 0x49
    }

    func number(at offset: Int, _ count: Int) -> Int? {
        isLittleEndian ? data.littleEndian(at: offset, count) : data.bigEndian(at: offset, count)
    }

    /// The offsets of the entries of a directory, by tag.
    func directory(at offset: Int) -> [Int: Int] {
        guard offset > 0, let count = number(at: offset, 2) else { return [:] }
        let entries = (0..<count).map { offset + 2 + 12 * $0 }
        let tagged = entries.compactMap { entry in number(at: entry, 2).map { ($0, entry) } }
        return Dictionary(tagged) { first, _ in first }
    }

    /// The text of an entry of type ASCII, without control characters.
    func text(ofEntryAt entry: Int) -> String? {
        guard number(at: entry + 2, 2) == 2, let count = number(at: entry + 4, 4) else { return nil }
        let start = count <= 4 ? entry + 8 : number(at: entry + 8, 4) ?? 0
        guard let bytes = data.part(start, min(count, 1_000)) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).onOneLine
        return text.trimmingCharacters(in: .whitespaces)
    }
}

/// The name of an ICC profile (ICC.1:2022, sections 7.3, 9.2.41; ICC.1:2001, section 6.5.17).
enum ProfileName {
    static func of(_ profile: Data) -> String? {
        guard let count = profile.bigEndian(at: 128, 4) else { return nil }
        for entry in (0..<min(count, 100)).map({ 132 + 12 * $0 }) {
            guard let tag = profile.part(entry, 4) else { return nil }
            guard tag.elementsEqual("desc".utf8) else { continue }
            guard let start = profile.bigEndian(at: entry + 4, 4) else { return nil }
            return text(profile, at: start)?.onOneLine
        }
        return nil
    }

    private static func text(_ profile: Data, at start: Int) -> String? {
        if profile.part(start, 4)?.elementsEqual("desc".utf8) == true, let count = profile.bigEndian(at: start + 8, 4) {
            return profile.part(start + 12, max(0, count - 1)).map { String(decoding: $0, as: UTF8.self) }
        }
        guard let length = profile.bigEndian(at: start + 20, 4), let offset = profile.bigEndian(at: start + 24, 4)
        else {
            return nil
        }
        return profile.part(start + offset, length).flatMap { String(data: Data($0), encoding: .utf16BigEndian) }
    }
}
