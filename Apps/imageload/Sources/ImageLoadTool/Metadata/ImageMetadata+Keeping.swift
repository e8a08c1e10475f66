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

    /// Reads the metadata of a file, and its profile.
    init(of file: Data, _ header: ImageHeader) {
        self.init(of: file, header.format)
        icc = header.colorProfile
    }

    /// The kinds that the tool can write to a format. Profiles of AVIF, HEIC and JPEG XL are written by their encoders.
    static func writable(to format: ImageFormat, isAnimated: Bool) -> Set<MetadataKind> {
        switch format {
        case .avif where isAnimated: [.icc]
        case .jpeg, .png, .webP, .avif, .heic, .jpegXL: [.exif, .icc, .xmp]
        default: []
        }
    }
}
