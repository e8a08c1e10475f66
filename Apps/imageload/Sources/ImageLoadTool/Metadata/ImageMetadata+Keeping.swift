import ArgumentParser
import Foundation
import ImageCore

/// The value of `--keep`: kinds separated by commas, `all` or `none`.
struct MetadataKinds: ExpressibleByArgument, Sendable {
    var kinds: Set<MetadataKind> = []

    init() {}

    init?(argument: String) {
        switch argument.lowercased() {
        case "all": kinds = Set(MetadataKind.allCases)
        case "none": kinds = []
        default:
            let names = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            let parsed = names.map { MetadataKind(rawValue: String($0)) }
            guard !parsed.contains(nil) else { return nil }
            kinds = Set(parsed.compactMap(\.self))
        }
    }

    static var allValueStrings: [String] { MetadataKind.allCases.map(\.rawValue) + ["all", "none"] }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    var defaultValueDescription: String {
        kinds.isEmpty ? "none" : kinds.map(\.rawValue).sorted().joined(separator: ",")
    }
}

extension ImageMetadata {
    func keeping(_ kept: Set<MetadataKind>) -> ImageMetadata {
        ImageMetadata(
            exif: kept.contains(.exif) ? exif : nil, xmp: kept.contains(.xmp) ? xmp : nil,
            icc: kept.contains(.icc) ? icc : nil)
    }

    /// Reads the metadata of a file. Parts that are damaged or compressed with Brotli count as missing.
    init(of file: Data, _ header: ImageHeader) {
        switch header.format {
        case .jpeg: self = JPEGFile(file)?.metadata ?? ImageMetadata()
        case .png: self = PNGFile(file)?.metadata ?? ImageMetadata()
        case .webp: self = WebPFile(file)?.metadata ?? ImageMetadata()
        case .avif, .heic, .jxl: self = BoxMetadata.read(file, header.format)
        default: break
        }
        icc = header.colorProfile
    }

    /// The kinds that the tool can write to a format. The profiles of the other formats are written by their encoders.
    static func writable(to format: ImageFormat) -> Set<MetadataKind> {
        switch format {
        case .jpeg, .png, .webp, .jxl: [.exif, .icc, .xmp]
        case .avif, .heic: [.icc]
        default: []
        }
    }

    /// Returns a file of an encoder with the metadata added, as far as the format allows.
    func added(to file: Data, format: ImageFormat) -> Data {
        if kinds.isEmpty { return file }
        switch format {
        case .jpeg: return JPEGFile(file)?.adding(self).data ?? file
        case .png:
            let profile = icc.flatMap { Deflate.compress($0, level: 9) }
            return PNGFile(file)?.adding(self, profile: profile).data ?? file
        case .webp: return WebPFile(file)?.adding(self).data ?? file
        case .jxl: return BoxMetadata.adding(self, toJXL: file)
        default: return file
        }
    }
}
