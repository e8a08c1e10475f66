import ISOBoxes
public import ImageCore

/// What an image file has beside the pixels of one frame, and a conversion can lose.
///
/// What is lost is what the source has and the result hasn't:
///
/// ```swift
/// let lost = ConversionLoss.possible(in: photo, header: photoHeader)
///     .subtracting(ConversionLoss.possible(in: result, header: resultHeader))
/// ```
@nonexhaustive
public enum ConversionLoss: String, CaseIterable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// All frames but one.
    case animation
    /// The gain map (ISO 21496-1, Ultra HDR, Apple's), with which screens of high dynamic range show more brightness.
    case gainMap
    /// The distances of a portrait's points.
    case depthMap
    /// Transparency.
    case alpha
    /// Colors outside of sRGB.
    case gamut
    /// Brightness above that of ordinary screens (PQ and HLG, ITU-R BT.2100).
    case hdr
    /// More than 8 bits of each sample.
    case bitDepth
    /// What cameras write.
    case exif
    /// The records of press photographs.
    case iptc
    /// What editors write. What declares a gain map or other images in the file doesn't count.
    case xmp
    /// Comments and texts, and metadata that `EmbeddedMetadata` doesn't read: compressed, in texts, or extended XMP.
    case otherMetadata
    /// The signed history of an image (C2PA). A changed file needs a new signature, so it can't be carried over.
    case contentCredentials

    public var description: String {
        switch self {
        case .animation: "the animation"
        case .gainMap: "the gain map for HDR displays"
        case .depthMap: "the depth map"
        case .alpha: "transparency"
        case .gamut: "colors outside of sRGB"
        case .hdr: "the brightness of HDR"
        case .bitDepth: "more than 8 bits per sample"
        case .exif: "Exif"
        case .iptc: "IPTC"
        case .xmp: "XMP"
        case .otherMetadata: "comments and other metadata"
        case .contentCredentials: "content credentials"
        }
    }

    /// Returns what a file has of all that can be lost.
    ///
    /// Alpha counts if the format says that there can be transparent pixels. A file whose parts can't be told apart has
    /// only what its header says. Reads no pixels.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - header: The header that a decoder has read.
    ///   - gamut: The smallest color space with all colors of the image, for example of `DownsamplingDecoder.gamut(of:)`.
    ///     With nil, the primaries of the header or of its profile tell. Profiles of tables then count as sRGB.
    ///   - metadata: The metadata of the file, if you have read it. With nil, it is read.
    public static func possible(
        in file: Data, header: ImageHeader, gamut: ColorSpace? = nil, metadata: EmbeddedMetadata? = nil
    ) -> Set<ConversionLoss> {
        let metadata = metadata ?? EmbeddedMetadata(of: file)
        let parts: [(ConversionLoss, Bool)] = [
            (.animation, header.frameCount > 1), (.gainMap, header.hasGainMap),
            (.depthMap, hasDepthMap(file, header.format, metadata.xmp)), (.alpha, header.hasAlpha),
            (.gamut, (gamut ?? self.gamut(of: header)) == .displayP3), (.hdr, header.color.isHDR),
            (.bitDepth, header.nativeLayout == .rgba16),
            (.exif, metadata.exif != nil), (.iptc, metadata.iptc != nil),
            (.xmp, metadata.xmp.map(XMPPacket.hasProperties) == true),
            (.otherMetadata, hasOtherMetadata(file, header.format)),
            (.contentCredentials, hasContentCredentials(file, header.format)),
        ]
        return Set(parts.filter(\.1).map(\.0))
    }

    private static func gamut(of header: ImageHeader) -> ColorSpace? {
        var color = header.color
        if let profile = color.profile {
            guard let primaries = ICCProfile.primaries(of: profile) else { return nil }
            color = SourceColor(primaries: primaries)
        }
        return RGBColorConverter().gamut(of: color, layout: header.nativeLayout)
    }

    /// Whether a file names a depth map: by an auxiliary item of HEIF (ISO/IEC 23008-12, table 3; ISO/IEC 23091-2, 6.2), or
    /// in XMP (Google's depthmap and Dynamic Depth 1.0).
    private static func hasDepthMap(_ file: Data, _ format: ImageFormat, _ xmp: Data?) -> Bool {
        func contains(_ data: Data, _ texts: [String]) -> Bool {
            texts.contains { data.firstRange(of: Data($0.utf8)) != nil }
        }
        if let xmp, contains(xmp, ["/depthmap/", "Semantic=\"Depth\"", "Semantic>Depth<", "/dynamicdepth/"]) {
            return true
        }
        guard [.avif, .heic].contains(format), let items = try? ItemFile(file, format) else { return false }
        return contains(items.file[items.meta.content], ["hevc:2015:auxid:2\0", "systems:auxiliary:depth"])
    }

    private static func hasOtherMetadata(_ file: Data, _ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg: (try? JPEGFile(file).hasOtherMetadata) ?? false
        case .png: (try? PNGFile(file).hasOtherMetadata) ?? false
        case .gif: GIFFile.hasTexts(file)
        case .jpegXL: (try? JXLFile(file).hasCompressedMetadata) ?? false
        default: false
        }
    }

    /// Whether a file has a manifest of C2PA 2.2, section 11.3 and annex A.
    private static func hasContentCredentials(_ file: Data, _ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg: (try? JPEGFile(file).segments.contains { $0.marker == 0xEB && $0.body.isManifest }) ?? false
        case .png: (try? PNGFile(file).chunks.contains { $0.type == "caBX" }) ?? false
        case .webP: (try? WebPFile(file).chunks.contains { $0.type == "C2PA" }) ?? false
        case .jpegXL: (try? JXLFile(file).hasManifest) ?? false
        case .avif, .heic:
            (try? ItemFile(file, format)?.hasBox(uuid: manifestIdentifier)) ?? false
        default: false
        }
    }

    private static let manifestIdentifier: [UInt8] = [
        0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
    ]
}

extension Set<ConversionLoss> {
    /// The losses in the order of their declaration.
    public var inOrder: [ConversionLoss] { ConversionLoss.allCases.filter(contains) }
}

extension ItemFile {
    fileprivate func hasBox(uuid: [UInt8]) -> Bool {
        boxes.contains { $0.name == "uuid" && file[$0.content].starts(with: uuid) }
    }
}

extension Data {
    /// Whether this begins with a JUMBF box that has the label of C2PA (ISO/IEC 19566-5, annexes A and B).
    var isManifest: Bool { ["jumb", "c2pa"].allSatisfy { prefix(200).firstRange(of: Data($0.utf8)) != nil } }
}
