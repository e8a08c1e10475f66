import ArgumentParser
import Foundation
import ImageCore
import ImageMetadata

/// The value of `--keep`: kinds separated by commas, `all` or `none`.
struct MetadataKinds: ExpressibleByArgument, Sendable {
    var kinds: Set<EmbeddedMetadata.Block> = []

    private static let all: [EmbeddedMetadata.Block] = [.exif, .icc, .xmp]

    init() {}

    init?(argument: String) {
        switch argument.lowercased() {
        case "all": kinds = Set(Self.all)
        case "none": kinds = []
        default:
            let names = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            let parsed = names.map { name in Self.all.first { $0.rawValue == name } }
            guard !parsed.contains(nil) else { return nil }
            kinds = Set(parsed.compactMap(\.self))
        }
    }

    static var allValueStrings: [String] { all.map(\.rawValue) + ["all", "none"] }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    var defaultValueDescription: String {
        kinds.isEmpty ? "none" : kinds.map(\.rawValue).sorted().joined(separator: ",")
    }
}

extension EmbeddedMetadata {
    /// The blocks that the tool can write to a format. Profiles of AVIF, HEIC and JPEG XL are written by their encoders.
    static func writable(to format: ImageFormat, isAnimated: Bool) -> Set<Block> {
        switch format {
        case .avif where isAnimated: [.icc]
        case .jpeg, .png, .webP, .avif, .heic, .jpegXL: [.exif, .icc, .xmp]
        default: []
        }
    }
}
