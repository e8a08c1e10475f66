import Foundation

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

    var kinds: Set<MetadataKind> {
        var kinds: Set<MetadataKind> = []
        if exif != nil { kinds.insert(.exif) }
        if icc != nil { kinds.insert(.icc) }
        if xmp != nil { kinds.insert(.xmp) }
        return kinds
    }
}
