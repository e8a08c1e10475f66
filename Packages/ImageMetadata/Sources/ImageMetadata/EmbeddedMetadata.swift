public import ImageCore

/// The metadata in an image file: Exif, XMP, IPTC and the ICC profile.
///
/// Read it with ``init(of:header:limits:)``, and write it into another file with ``embedded(in:)``. Properties such as
/// ``captureDate`` and ``location`` interpret the blocks; `nil` means that no block has a valid value.
public struct EmbeddedMetadata: Hashable, Sendable {
    /// A block of metadata.
    @nonexhaustive
    public enum Block: String, CaseIterable, Sendable {
        /// What cameras write (CIPA DC-008).
        case exif
        /// A color profile (ICC.1:2022).
        case icc
        /// The older records of press photographs (IPTC IIM 4.2).
        case iptc
        /// What editors write, in XML (ISO 16684-1).
        case xmp
    }

    /// The Exif block: a TIFF file (CIPA DC-008, section 4.5), without the prefix `Exif` and two zeros.
    public var exif: Data?
    /// The XMP packet in UTF-8 (ISO 16684-1).
    public var xmp: Data?
    /// The records of IPTC (IIM 4.2). Only JPEG files have them.
    public var iptc: Data?
    /// The ICC profile. Nil in ``embedded(in:)`` keeps that of the file.
    public var icc: Data?

    /// Creates metadata from blocks, which aren't checked.
    public init(exif: Data? = nil, xmp: Data? = nil, iptc: Data? = nil, icc: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
        self.icc = icc
    }

    /// Accesses a block.
    public subscript(block: Block) -> Data? {
        get {
            switch block {
            case .exif: exif
            case .icc: icc
            case .iptc: iptc
            case .xmp: xmp
            }
        }
        set {
            switch block {
            case .exif: exif = newValue
            case .icc: icc = newValue
            case .iptc: iptc = newValue
            case .xmp: xmp = newValue
            }
        }
    }

    /// The blocks that are there.
    public var blocks: Set<Block> { Set(Block.allCases.filter { self[$0] != nil }) }

    /// Returns the metadata without all other blocks.
    public func keeping(_ kept: Set<Block>) -> EmbeddedMetadata {
        kept.reduce(into: EmbeddedMetadata()) { $0[$1] = self[$1] }
    }
}
