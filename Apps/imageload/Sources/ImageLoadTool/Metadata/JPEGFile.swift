import Foundation

/// The segments of a JPEG file before its first scan (ITU-T T.81, B.1.1).
struct JPEGFile {
    struct Segment {
        var marker: UInt8
        var body: Data
    }

    private static let xmpPrefix = Data("http://ns.adobe.com/xap/1.0/".utf8) + [0]
    private static let iccPrefix = Data("ICC_PROFILE".utf8) + [0]
    private static let largestBody = 65_533

    var segments: [Segment] = []
    /// The file from the first scan.
    private var scans: Data

    /// Returns nil if the segments are damaged, or more than 10,000.
    init?(_ file: Data) {
        var offset = 2
        while true {
            guard file.bigEndian(at: offset, 1) == 0xFF, let marker = file.bigEndian(at: offset + 1, 1) else {
                return nil
            }
            if marker == 0xFF {
                offset += 1  // a fill byte
                continue
            }
            if marker == 0xDA { break }
            guard segments.count < 10_000, let length = file.bigEndian(at: offset + 2, 2), length >= 2,
                let body = file.part(offset + 4, length - 2)
            else { return nil }
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
    var metadata: ImageMetadata {
        let bodies = segments.filter { $0.marker == 0xE1 }.map(\.body)
        return ImageMetadata(
            exif: bodies.first { $0.starts(with: ExifBlock.prefix) }.map(ExifBlock.withoutPrefix),
            xmp: bodies.first { $0.starts(with: Self.xmpPrefix) }.map { Data($0.dropFirst(Self.xmpPrefix.count)) },
            iptc: IPTCRecords.read(segments.filter { $0.marker == 0xED }.map(\.body)))
    }

    /// Whether nothing follows the image, such as a gain map, a depth map or a film (CIPA DC-007, section 5).
    var isOnlyImage: Bool {
        let hasOthers = segments.contains { $0.marker == 0xE2 && $0.body.starts(with: "MPF".utf8) }
        guard let last = scans.lastIndex(where: { $0 != 0 }), last > scans.startIndex else { return false }
        return !hasOthers && scans[last] == 0xD9 && scans[last - 1] == 0xFF
    }

    /// Whether there is a profile, even a damaged one, which programs could apply.
    var hasProfile: Bool { segments.contains { $0.marker == 0xE2 && $0.body.starts(with: Self.iccPrefix) } }

    /// Adds metadata after the JFIF segment. Blocks that don't fit into a segment are left out.
    func adding(_ metadata: ImageMetadata) -> JPEGFile {
        var added: [Segment] = []
        if let exif = metadata.exif { added.append(Segment(marker: 0xE1, body: ExifBlock.withPrefix(exif))) }
        if let xmp = metadata.xmp { added.append(Segment(marker: 0xE1, body: Self.xmpPrefix + xmp)) }
        if let icc = metadata.icc { added += Self.profile(icc) }
        if let iptc = metadata.iptc { added.append(Segment(marker: 0xED, body: IPTCRecords.segment(iptc))) }
        var file = self
        file.segments.insert(
            contentsOf: added.filter { $0.body.count <= Self.largestBody },
            at: segments.first?.marker == 0xE0 ? 1 : 0)
        return file
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
