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
    /// The number of pixels per inch of print: another one than 72 and 96, which programs write without being asked.
    case density
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
        case .density: "the density for print"
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
        let known: [(ConversionLoss, Bool)] = [
            (.animation, header.frameCount > 1), (.gainMap, header.hasGainMap),
            (.depthMap, metadata.xmp.map(XMPPacket.namesDepthMap) == true), (.alpha, header.hasAlpha),
            (.gamut, (gamut ?? self.gamut(of: header)) == .displayP3), (.hdr, header.color.isHDR),
            (.bitDepth, header.nativeLayout == .rgba16),
            (.exif, metadata.exif != nil), (.iptc, metadata.iptc != nil),
            (.xmp, metadata.xmp.map(XMPPacket.hasProperties) == true),
        ]
        let parts = (try? parts(of: file, header.format)) ?? []
        return Set((known + parts).filter(\.1).map(\.0))
    }

    /// Returns what the parts of a file say that neither its header nor its metadata do.
    private static func parts(
        of file: Data, _ format: ImageFormat
    ) throws(ImageDecodingError) -> [(ConversionLoss, Bool)] {
        switch format {
        case .jpeg:
            let file = try JPEGFile(file)
            return [
                (.otherMetadata, file.hasOtherMetadata), (.density, file.hasPrintDensity),
                (.contentCredentials, file.hasManifest),
            ]
        case .png:
            let file = try PNGFile(file)
            return [
                (.otherMetadata, file.hasOtherMetadata), (.density, file.hasPrintDensity),
                (.contentCredentials, file.chunks.contains { $0.type == "caBX" }),
            ]
        case .gif: return [(.otherMetadata, GIFFile.hasTexts(file))]
        case .webP: return [(.contentCredentials, try WebPFile(file).chunks.contains { $0.type == "C2PA" })]
        case .jpegXL:
            let file = try JXLFile(file)
            return [(.otherMetadata, file.hasCompressedMetadata), (.contentCredentials, file.hasManifest)]
        case .avif, .heic:
            let file = try ItemFile(file, format)
            return [
                (.depthMap, file?.namesDepthMap == true), (.contentCredentials, file?.hasManifest == true),
            ]
        case .tiff: return [(.density, PrintDensity.isStored(inTIFF: file))]
        default: return []
        }
    }

    private static func gamut(of header: ImageHeader) -> ColorSpace? {
        var color = header.color
        if let profile = color.profile {
            guard let primaries = ICCProfile.primaries(of: profile) else { return nil }
            color = SourceColor(primaries: primaries)
        }
        return RGBColorConverter().gamut(of: color, layout: header.nativeLayout)
    }
}

extension Set<ConversionLoss> {
    /// The losses in the order of their declaration.
    public var inOrder: [ConversionLoss] { ConversionLoss.allCases.filter(contains) }
}

extension ItemFile {
    /// Whether there is an auxiliary depth map (ISO/IEC 23008-12, table 3; ISO/IEC 23091-2, 6.2).
    fileprivate var namesDepthMap: Bool {
        file[meta.content].contains(oneOf: ["hevc:2015:auxid:2\0", "systems:auxiliary:depth"])
    }

    /// Whether there are content credentials (C2PA 2.2, annex A.5).
    fileprivate var hasManifest: Bool {
        boxes.contains { box in
            // The last box may exceed the file.
            box.name == "uuid" && file[box.content.clamped(to: file.indices)].starts(with: Self.manifestIdentifier)
        }
    }

    private static let manifestIdentifier: [UInt8] = [
        0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
    ]
}

extension XMPPacket {
    /// Whether a packet declares a depth map (Google's depthmap and Dynamic Depth 1.0).
    fileprivate static func namesDepthMap(_ xmp: Data) -> Bool {
        xmp.contains(oneOf: ["/depthmap/", "Semantic=\"Depth\"", "Semantic>Depth<", "/dynamicdepth/"])
    }
}

extension Data {
    fileprivate func contains(oneOf texts: [String]) -> Bool {
        texts.contains { firstRange(of: Data($0.utf8)) != nil }
    }

    /// Whether this begins with a JUMBF box that has the label of C2PA (ISO/IEC 19566-5, annexes A and B).
    var isManifest: Bool { ["jumb", "c2pa"].allSatisfy { prefix(200).firstRange(of: Data($0.utf8)) != nil } }
}
