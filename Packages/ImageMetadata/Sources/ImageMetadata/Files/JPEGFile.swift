package import ImageCore

/// The segments of a JPEG file before its first scan (ITU-T T.81, B.1.1).
package struct JPEGFile {
    struct Segment: Hashable {
        var marker: UInt8
        var body: Data
    }

    static let xmpPrefix = Data("http://ns.adobe.com/xap/1.0/".utf8) + [0]
    private static let extendedXMPPrefix = Data("http://ns.adobe.com/xmp/extension/".utf8) + [0]
    private static let iccPrefix = Data("ICC_PROFILE".utf8) + [0]
    private static let largestBody = 65_533
    /// The bytes of the largest packet of XMP.
    static let largestXMP = largestBody - xmpPrefix.count
    /// The bytes of the largest block of ISO 21496-1.
    static let largestISOBlock = largestBody - EmbeddedGainMap.identifier.count

    var segments: [Segment] = []
    /// The file from the first scan.
    private var scans: Data

    /// Throws `.malformed` if the segments are damaged, or more than 10,000.
    package init(_ file: Data) throws(ImageDecodingError) {
        var offset = 2
        while true {
            guard file.bigEndian(at: offset, 1) == 0xFF, let marker = file.bigEndian(at: offset + 1, 1) else {
                throw .malformed(.jpeg, "a marker is missing")
            }
            if marker == 0xFF {
                offset += 1  // a fill byte
                continue
            }
            if marker == 0xDA { break }
            guard segments.count < 10_000, let length = file.bigEndian(at: offset + 2, 2), length >= 2,
                let body = file.part(at: offset + 4, length - 2)
            else { throw .malformed(.jpeg, "a segment is damaged") }
            segments.append(Segment(marker: UInt8(marker), body: body))
            offset += 2 + length
        }
        scans = file.dropFirst(offset)
    }

    var data: Data {
        var data = Data([0xFF, 0xD8])
        for segment in segments {
            data.append(contentsOf: [0xFF, segment.marker])
            data.append(bigEndian: UInt16(segment.body.count + 2))
            data.append(segment.body)
        }
        return data + scans
    }

    /// The Exif block, the XMP packet and the records of IPTC.
    var metadata: EmbeddedMetadata {
        let bodies = segments.filter { $0.marker == 0xE1 }.map(\.body)
        return EmbeddedMetadata(
            exif: bodies.first { $0.starts(with: ExifBlock.prefix) }.map(ExifBlock.withoutPrefix),
            xmp: bodies.first { $0.starts(with: Self.xmpPrefix) }.map { Data($0.dropFirst(Self.xmpPrefix.count)) },
            iptc: IPTCRecords.read(segments.filter { $0.marker == 0xED }.map(\.body)))
    }

    /// Whether nothing follows the image, such as a gain map, a depth map or a film (CIPA DC-007, section 5).
    package var isOnlyImage: Bool {
        let hasOthers = segments.contains { $0.marker == 0xE2 && $0.body.starts(with: "MPF".utf8) }
        guard let last = scans.lastIndex(where: { $0 != 0 }), last > scans.startIndex else { return false }
        return !hasOthers && scans[last] == 0xD9 && scans[last - 1] == 0xFF
    }

    /// Whether there is a comment or extended XMP.
    var hasOtherMetadata: Bool {
        segments.contains { $0.marker == 0xFE || $0.marker == 0xE1 && $0.body.starts(with: Self.extendedXMPPrefix) }
    }

    /// Whether there are content credentials (C2PA 2.2, annex A.3).
    var hasManifest: Bool { segments.contains { $0.marker == 0xEB && $0.body.isManifest } }

    /// Whether there is a profile, even a damaged one, which programs could apply.
    package var hasProfile: Bool { segments.contains { Self.isProfile($0) } }

    /// Replaces the metadata after the JFIF segment. Blocks that don't fit into a segment are left out.
    func replacing(_ metadata: EmbeddedMetadata) -> JPEGFile {
        var added: [Segment] = []
        if let exif = metadata.exif { added.append(Segment(marker: 0xE1, body: ExifBlock.prefix + exif)) }
        if let xmp = metadata.xmp { added.append(Segment(marker: 0xE1, body: Self.xmpPrefix + xmp)) }
        if let icc = metadata.icc { added += Self.profile(icc) }
        if let iptc = metadata.iptc { added.append(Segment(marker: 0xED, body: IPTCRecords.segment(iptc))) }
        var file = self
        file.segments.removeAll { Self.isMetadata($0) || metadata.icc != nil && Self.isProfile($0) }
        file.segments.insert(
            contentsOf: added.filter { $0.body.count <= Self.largestBody },
            at: file.segments.first?.marker == 0xE0 ? 1 : 0)
        return file
    }

    private static func isMetadata(_ segment: Segment) -> Bool {
        switch segment.marker {
        case 0xE1: [ExifBlock.prefix, xmpPrefix, extendedXMPPrefix].contains { segment.body.starts(with: $0) }
        case 0xED: segment.body.starts(with: IPTCRecords.prefix)
        default: false
        }
    }

    static func isProfile(_ segment: Segment) -> Bool {
        segment.marker == 0xE2 && segment.body.starts(with: iccPrefix)
    }

    static func isXMP(_ segment: Segment) -> Bool {
        segment.marker == 0xE1 && segment.body.starts(with: xmpPrefix)
    }

    /// The numbered segments of a profile (ICC.1, annex B.4). Empty for a profile above 16 MB.
    private static func profile(_ icc: Data) -> [Segment] {
        let partLength = largestBody - iccPrefix.count - 2
        let starts = Array(stride(from: 0, to: icc.count, by: partLength))
        guard starts.count <= 255 else { return [] }
        return starts.enumerated().map { index, start in
            let number = iccPrefix + [UInt8(index + 1), UInt8(starts.count)]
            return Segment(marker: 0xE2, body: number + icc.dropFirst(start).prefix(partLength))
        }
    }
}

extension JPEGFile {
    /// The file with only the JFIF header, the profile, Adobe's color transform and the image.
    var onlyImage: JPEGFile {
        var file = self
        file.segments.removeAll { segment in
            switch segment.marker {
            case 0xE0: !segment.body.starts(with: "JFIF".utf8)
            case 0xE2: !Self.isProfile(segment)
            case 0xEE: !segment.body.starts(with: "Adobe".utf8)
            case let marker: Self.isText(Int(marker))
            }
        }
        for index in file.segments.indices where file.segments[index].marker == 0xE0 {
            file.segments[index].body = file.segments[index].body.withoutThumbnail
        }
        file.scans = onlyScans
        return file
    }

    /// Whether a segment is of an application or a comment.
    private static func isText(_ marker: Int) -> Bool { 0xE0...0xEF ~= marker || marker == 0xFE }

    /// The scans up to the end of the image, or to that of the file if it is missing, without what applications have put
    /// between them (ITU-T T.81, B.1.1.2).
    private var onlyScans: Data {
        var (kept, start, offset) = (Data(), 0, 0)
        while let index = scans.dropFirst(offset).firstIndex(of: 0xFF) {
            offset = index - scans.startIndex
            switch scans.bigEndian(at: offset + 1, 1) ?? 0xD9 {
            case 0xD9: return kept + scans.prefix(offset + 2).dropFirst(start)
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            case let marker:
                let end = offset + 2 + (scans.bigEndian(at: offset + 2, 2) ?? scans.count)
                if Self.isText(marker) {
                    kept += scans.prefix(offset).dropFirst(start)
                    start = end
                }
                offset = end
            }
        }
        return kept + scans.dropFirst(start)
    }
}

extension Data {
    /// A JFIF header without its thumbnail, whose sides are its last numbers (ITU-T T.871, 10.1).
    fileprivate var withoutThumbnail: Data { count > 14 ? prefix(12) + [0, 0] : self }
}
