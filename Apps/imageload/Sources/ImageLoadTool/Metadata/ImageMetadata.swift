import Foundation
import ImageCore

/// A kind of metadata that can be kept.
enum MetadataKind: String, CaseIterable, Sendable {
    case exif, icc, xmp
}

/// The metadata that can be copied from one file to another.
struct ImageMetadata: Equatable, Sendable {
    /// A TIFF file (CIPA DC-008, section 4.5), without the prefix `Exif` and two zeros.
    var exif: Data?
    /// An XMP packet (ISO 16684-1).
    var xmp: Data?
    /// An ICC profile.
    var icc: Data?
    /// The records of IPTC (IIM 4.2) in a JPEG file. `imageload` leaves them out.
    var iptc: Data?

    var kinds: Set<MetadataKind> {
        var kinds: Set<MetadataKind> = []
        if exif != nil { kinds.insert(.exif) }
        if icc != nil { kinds.insert(.icc) }
        if xmp != nil { kinds.insert(.xmp) }
        return kinds
    }
}

extension ImageMetadata {
    /// Reads the metadata of a file, without the profile. Parts that are damaged or compressed with Brotli count as
    /// missing.
    init(of file: Data, _ format: ImageFormat) {
        switch format {
        case .jpeg: self = JPEGFile(file)?.metadata ?? ImageMetadata()
        case .png: self = PNGFile(file)?.metadata ?? ImageMetadata()
        case .webP: self = WebPFile(file)?.metadata ?? ImageMetadata()
        case .avif, .heic: self = ItemFile(file)?.metadata ?? ImageMetadata()
        case .jpegXL: self = JXLFile.metadata(of: file)
        default: self = ImageMetadata()
        }
    }

    /// The metadata for a file that has only the upright image.
    var forResult: ImageMetadata {
        var metadata = self
        metadata.exif = exif.map(ExifBlock.upright)
        metadata.xmp = xmp.flatMap(XMPPacket.withoutOtherParts)
        return metadata
    }

    /// Returns a file of an encoder with the metadata added, as far as the format allows.
    ///
    /// - Parameter compressedProfile: The ICC profile for a PNG file, as a zlib stream.
    func added(to file: Data, format: ImageFormat, compressedProfile: Data? = nil) -> Data {
        if self == ImageMetadata() { return file }
        switch format {
        case .jpeg: return JPEGFile(file)?.adding(self).data ?? file
        case .png: return PNGFile(file)?.adding(self, profile: compressedProfile).data ?? file
        case .webP: return WebPFile(file)?.adding(self).data ?? file
        case .avif, .heic: return ItemFile(file)?.adding(self) ?? file
        case .jpegXL: return JXLFile.adding(self, to: file)
        default: return file
        }
    }
}
