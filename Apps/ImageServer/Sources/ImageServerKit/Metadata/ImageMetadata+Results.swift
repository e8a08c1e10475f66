import Foundation
import ImageCore

/// The metadata that results take over from their sources.
extension ImageMetadata {
    /// Reads the Exif block and the XMP packet of a file. Damaged ones, and those of other formats, count as missing.
    init(of file: Data, _ format: ImageFormat) {
        switch format {
        case .jpeg: self = JPEGFile(file)?.metadata ?? ImageMetadata()
        case .png: self = PNGFile(file)?.metadata ?? ImageMetadata()
        case .webp: self = WebPFile(file)?.metadata ?? ImageMetadata()
        default: self = ImageMetadata()
        }
    }

    /// Returns a file of an encoder with the metadata added, as far as the format allows.
    func added(to file: Data, _ format: ImageFormat) -> Data {
        if exif == nil, xmp == nil { return file }
        switch format {
        case .jpeg: return JPEGFile(file)?.adding(self).data ?? file
        case .png: return PNGFile(file)?.adding(self).data ?? file
        case .webp:
            guard let webp = WebPFile(file) else { return file }
            var all = self
            all.icc = webp.chunks.first { $0.type == "ICCP" }.map(\.body)
            return webp.adding(all).data
        default: return file
        }
    }

    /// What is left of the metadata if only the copyright is kept.
    var copyright: ImageMetadata {
        ImageMetadata(exif: exif.flatMap(ExifBlock.copyright), xmp: xmp.flatMap(XMPPacket.copyright))
    }

    /// The metadata of a result, whose pixels are upright.
    var upright: ImageMetadata { ImageMetadata(exif: exif.map(ExifBlock.upright), xmp: xmp) }
}

/// The parts of an XMP packet.
enum XMPPacket {
    private static let names = ["dc:rights", "dc:creator", "dc:contributor", "dc:publisher", "xmpRights:UsageTerms"]

    /// Returns a packet with the elements about rights and people only; nil if there are none.
    static func copyright(_ packet: Data) -> Data? {
        guard let text = String(bytes: packet, encoding: .utf8) else { return nil }
        let elements = names.compactMap { element($0, in: text) }
        guard !elements.isEmpty else { return nil }
        let xml = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
            xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">\
            \(elements.joined())</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """
        return Data(xml.utf8)
    }

    /// Returns an element if it has only lists and text, which need no other namespace.
    private static func element(_ name: String, in text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        let content = text[start.upperBound..<end.lowerBound]
        let isPlain = content.split(separator: "<", omittingEmptySubsequences: false).dropFirst().allSatisfy { tag in
            tag.hasPrefix("rdf:") || tag.hasPrefix("/rdf:")
        }
        return isPlain ? "<\(name)>\(content)</\(name)>" : nil
    }
}
