public import ImageCore

extension EmbeddedMetadata {
    /// A position on Earth in WGS 84.
    public struct Location: Hashable, Sendable {
        /// In degrees, from -90 (south) to 90 (north).
        public var latitude: Double
        /// In degrees, from -180 (west) to 180 (east).
        public var longitude: Double
        /// In meters above sea level, if it is known.
        public var altitude: Double?
    }

    /// When the photograph was taken: the Gregorian year, month, day, hour, minute and second at that place.
    ///
    /// The time zone is set if the file tells it, otherwise nil: use that of the place, or your user's. From
    /// `DateTimeOriginal` of Exif or XMP, or `DateTime` of Exif.
    public var captureDate: DateComponents? {
        let details = exifDirectory?.details
        let zone = details?.text(0x9011) ?? ""
        return details?.text(0x9003).flatMap { DateComponents(capture: $0, zone: zone) }
            ?? exifDirectory?.text(0x0132).flatMap { DateComponents(capture: $0, zone: "") }
            ?? xmpText("exif:DateTimeOriginal", "photoshop:DateCreated").flatMap { DateComponents(xmp: $0) }
    }

    /// Where the photograph was taken: the position in Exif or XMP.
    public var location: Location? {
        exifDirectory?.directory(0x8825).flatMap { Location($0) } ?? xmp.flatMap { Location(xmp: $0) }
    }

    /// Who made the image: `Artist` of Exif, `dc:creator` of XMP or the by-line of IPTC.
    public var creator: String? { exifDirectory?.text(0x013B) ?? xmpText("dc:creator") ?? iptcText(80) }

    /// The copyright notice: `Copyright` of Exif, `dc:rights` of XMP or that of IPTC.
    public var copyright: String? { exifDirectory?.text(0x8298) ?? xmpText("dc:rights") ?? iptcText(116) }

    /// The manufacturer of the camera, by Exif.
    public var cameraMake: String? { exifDirectory?.text(0x010F) }

    /// The model of the camera, by Exif.
    public var cameraModel: String? { exifDirectory?.text(0x0110) }

    /// How stored pixels are turned, by Exif. AVIF, HEIC and JPEG XL files have their orientation elsewhere:
    /// `ImageHeader.orientation` has that of all formats.
    public var orientation: ImageOrientation? { exif.flatMap(ExifReader.orientation) }

    /// The name of the ICC profile, for example "Display P3" (ICC.1:2022, 9.2.41).
    public var colorProfileName: String? { icc.flatMap(ProfileName.of) }

    private var exifDirectory: ExifDirectory? { exif.flatMap(ExifDirectory.init) }

    private func xmpText(_ names: String...) -> String? {
        guard let xmp else { return nil }
        return names.lazy.compactMap { XMPPacket.text(of: $0, in: xmp) }.first
    }

    private func iptcText(_ number: Int) -> String? { iptc.flatMap { IPTCRecords.text(of: number, in: $0) } }
}

/// A directory of an Exif block (CIPA DC-008, section 4.6).
struct ExifDirectory {
    private let reader: TIFFReader
    private let offset: Int

    /// Finds the first directory.
    init?(_ exif: Data) {
        guard let reader = TIFFReader(exif), let offset = reader.firstDirectory else { return nil }
        self.reader = reader
        self.offset = offset
    }

    private init(_ reader: TIFFReader, at offset: Int) {
        self.reader = reader
        self.offset = offset
    }

    /// The directory with what the camera has set.
    var details: ExifDirectory? { directory(0x8769) }

    /// Returns the directory to which an entry refers.
    func directory(_ tag: Int) -> ExifDirectory? {
        entry(tag).flatMap(reader.integer(of:)).map { ExifDirectory(reader, at: $0) }
    }

    private func entry(_ tag: Int) -> TIFFReader.Entry? { reader.entries(of: offset).first { $0.tag == tag } }

    /// Returns the first 1,000 bytes of a text, up to a zero and without spaces around it. Nil if it is empty.
    func text(_ tag: Int) -> String? {
        guard let entry = entry(tag), entry.type == 2, let bytes = reader.bytes(of: entry) else { return nil }
        return String(trimming: bytes.prefix(1_000).prefix { $0 != 0 })
    }

    /// Returns the first byte of an entry.
    func byte(_ tag: Int) -> UInt8? { entry(tag).flatMap(reader.bytes(of:))?.first }

    /// Returns the unsigned quotients of an entry, at most 10. Nil if one is divided by zero.
    func quotients(_ tag: Int) -> [Double]? {
        guard let entry = entry(tag), entry.type == 5, entry.count <= 10, let start = reader.integer(at: entry.field, 4)
        else { return nil }
        let numbers = (0..<entry.count).compactMap { index -> Double? in
            guard let dividend = reader.integer(at: start + 8 * index, 4),
                let divisor = reader.integer(at: start + 8 * index + 4, 4), divisor > 0
            else { return nil }
            return Double(dividend) / Double(divisor)
        }
        return numbers.count == entry.count ? numbers : nil
    }
}

extension String {
    /// Creates a text from UTF-8 without spaces around it. Nil if it is empty.
    init?(trimming bytes: Data) {
        func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        let start = bytes.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return nil }
        self.init(decoding: start[...last], as: UTF8.self)
    }
}

extension EmbeddedMetadata.Location {
    /// Reads the directory of GPS (CIPA DC-008, section 4.6.6).
    fileprivate init?(_ gps: ExifDirectory) {
        guard let latitude = Self.degrees(gps.quotients(2), negative: gps.text(1) == "S"), abs(latitude) <= 90,
            let longitude = Self.degrees(gps.quotients(4), negative: gps.text(3) == "W"), abs(longitude) <= 180
        else { return nil }
        let altitude = gps.quotients(6)?.first
        self.init(
            latitude: latitude, longitude: longitude, altitude: altitude.map { gps.byte(5) == 1 ? -$0 : $0 })
    }

    private static func degrees(_ parts: [Double]?, negative: Bool) -> Double? {
        guard let parts, parts.count == 3 else { return nil }
        let degrees = parts[0] + parts[1] / 60 + parts[2] / 3_600
        return negative ? -degrees : degrees
    }

    /// Reads texts such as `48,51.5N` and `48,51,30N` (ISO 16684-2, 8.2.2).
    fileprivate init?(xmp packet: Data) {
        func degrees(_ name: String, _ negative: Character) -> Double? {
            guard let text = XMPPacket.text(of: name, in: packet), let direction = text.last else { return nil }
            let parts = text.dropLast().split(separator: ",").compactMap { Double($0) }
            guard 2...3 ~= parts.count, parts.allSatisfy({ 0...180 ~= $0 }) else { return nil }
            return Self.degrees(parts.count == 2 ? parts + [0] : parts, negative: direction == negative)
        }
        guard let latitude = degrees("exif:GPSLatitude", "S"), abs(latitude) <= 90,
            let longitude = degrees("exif:GPSLongitude", "W"), abs(longitude) <= 180
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

extension DateComponents {
    /// Reads `YYYY:MM:DD HH:MM:SS`, and a zone such as `+02:00` (CIPA DC-008, section 4.6.5). Seconds and the time can be
    /// missing. Nil if it is no date.
    fileprivate init?(capture text: String, zone: String) {
        let numbers = text.split { ":- T".contains($0) }.map { Int($0.prefix { $0.isNumber }) }.prefix(6)
        let ranges = [1...9_999, 1...12, 1...31, 0...23, 0...59, 0...60]
        let areValid = zip(numbers, ranges).allSatisfy { number, range in number.map(range.contains) == true }
        guard numbers.count >= 3, areValid else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
        if numbers.count >= 5 {
            hour = numbers[3]
            minute = numbers[4]
            second = numbers.count > 5 ? numbers[5] : nil
        }
        timeZone = TimeZone(offset: zone)
    }

    /// Reads a date of ISO 8601 as in XMP: `YYYY-MM-DDThh:mm:ss.s`, and a zone.
    fileprivate init?(xmp text: String) {
        let date = text.prefix { $0 != "T" }
        let time = text[date.endIndex...].prefix { !"Z+-".contains($0) }
        self.init(capture: String(date + time), zone: String(text[time.endIndex...]))
    }
}

extension TimeZone {
    /// Creates a zone from `+02:00` or `Z`.
    fileprivate init?(offset text: String) {
        let parts = text.dropFirst().split(separator: ":").compactMap { Int($0) }
        let isValid = parts.count == 2 && 0...23 ~= parts[0] && 0...59 ~= parts[1]
        switch text.first {
        case "Z" where text.count == 1: self.init(secondsFromGMT: 0)
        case "+" where isValid: self.init(secondsFromGMT: parts[0] * 3_600 + parts[1] * 60)
        case "-" where isValid: self.init(secondsFromGMT: -parts[0] * 3_600 - parts[1] * 60)
        default: return nil
        }
    }
}
