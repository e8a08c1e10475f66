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

extension TIFFReader {
    /// The text of an entry of type ASCII.
    fileprivate func text(ofEntryAt entry: Int) -> String? {
        ascii(ofEntryAt: entry).map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
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
            return text(profile, at: start)
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
