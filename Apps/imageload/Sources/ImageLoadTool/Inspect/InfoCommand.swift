import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Describe images: format, size, frames, color, metadata, thumbnail.",
        discussion: """
            Reads headers only, so that a file whose pixels are damaged is described too. Folders and patterns are \
            accepted as in convert.

            EXAMPLES
              imageload info photo.jpg
              imageload info photos --json
            """)

    @Argument(help: "Files, folders or patterns.", completion: .file())
    var files: [String]

    @OptionGroup var printing: OutputOptions

    func run() async throws {
        // No pixels are decoded, so a file may have any number of them.
        var limits = DecodingLimits.default
        limits.maxPixels = .max
        limits.decodedByteLimit = .max
        let decoder = DownsamplingDecoder.standard(.all, limits: limits)
        try await InputFiles(files).forEach(printing) { file in
            let report = try ImageReport(file, try await FileAccess.read(file.path), decoder)
            try printing.print(report, lines: report.lines)
        }
    }
}

/// What `info` prints about a file.
struct ImageReport: Encodable {
    struct Thumbnail: Encodable {
        var format: String
        var width: Int
        var height: Int
        var bytes: Int
    }

    /// The sizes of the metadata in bytes.
    struct Metadata: Encodable {
        var exif: Int?
        var icc: Int?
        var xmp: Int?
    }

    var file: String
    var bytes: Int
    var format: String
    /// The size of the upright image.
    var width: Int
    var height: Int
    /// The Exif orientation from 1 to 8. Images are shown upright.
    var orientation: Int
    var frames: Int
    /// The duration of an animation.
    var milliseconds: Int
    /// The number of times that an animation plays. 0 means forever.
    var loopCount: Int
    var hasAlpha: Bool
    /// `rgb`, `gray`, `gray with alpha` or `cmyk`.
    var colorModel: String
    /// The name of the ICC profile, or nil if there is none.
    var colorProfile: String?
    /// The name of the profile, or of the primaries and the transfer function.
    var sourceColor: String
    /// Whether the file has a gain map for HDR displays, which is not applied.
    var gainMap: Bool
    /// How the file says what the gain map means.
    var gainMapKinds: [EmbeddedGainMap.Kind]
    /// What a conversion can lose.
    var contents: [ConversionLoss]
    var metadata: Metadata
    var camera: ExifSummary?
    var thumbnail: Thumbnail?

    init(_ file: InputFile, _ data: Data, _ decoder: DownsamplingDecoder) throws(ImageDecodingError) {
        let header = try decoder.header(of: data)
        let found = EmbeddedMetadata(of: data, header: header)
        self.file = file.path
        bytes = data.count
        format = header.format.rawValue
        width = header.size.width
        height = header.size.height
        orientation = header.orientation.rawValue
        frames = header.frameCount
        milliseconds = header.frameDelays.reduce(0) { $0 + Int($1 / .milliseconds(1)) }
        loopCount = header.loopCount
        hasAlpha = header.hasAlpha
        colorModel = header.nativeLayout.name
        colorProfile = header.colorProfile.map { _ in found.colorProfileName ?? "unnamed" }
        sourceColor = header.color.name
        gainMap = header.hasGainMap
        let kinds = EmbeddedGainMap.kinds(in: data, header: header)
        gainMapKinds = EmbeddedGainMap.Kind.allCases.filter(kinds.contains)
        contents = ConversionLoss.possible(in: data, header: header, gamut: decoder.gamut(of: header)).inOrder
        metadata = Metadata(exif: found.exif?.count, icc: found.icc?.count, xmp: found.xmp?.count)
        camera = found.exif.map { ExifSummary($0) }
        thumbnail = try Self.thumbnail(of: data, decoder)
    }

    private static func thumbnail(
        of data: Data, _ decoder: DownsamplingDecoder
    ) throws(ImageDecodingError) -> Thumbnail? {
        guard let file = try decoder.embeddedThumbnail(of: data), let header = try? decoder.header(of: file) else {
            return nil
        }
        return Thumbnail(
            format: header.format.rawValue, width: header.size.width, height: header.size.height, bytes: file.count)
    }

    /// Human-readable lines.
    var lines: [String] {
        var lines = ["\(file): \(format), \(width)x\(height), \(ByteCount.text(bytes))"]
        if frames > 1 {
            lines.append(
                "  \(frames) frames in \(milliseconds) ms, \(loopCount == 0 ? "forever" : "\(loopCount) times")")
        }
        let profile = colorProfile.map { "profile \($0)" } ?? "\(sourceColor), no profile"
        let alpha = hasAlpha ? "alpha" : "opaque"
        lines.append("  color: \(colorModel), \(alpha), \(profile)")
        if gainMap {
            let names = gainMapKinds.map(\.name).joined(separator: ", ")
            lines.append("  gain map: \(names.isEmpty ? "not where the file says" : names)")
        }
        let others = contents.filter { [.depthMap, .otherMetadata, .density, .contentCredentials].contains($0) }
        if !others.isEmpty { lines.append("  contains: " + others.map(\.description).joined(separator: ", ")) }
        if orientation != 1 { lines.append("  orientation: \(orientation), shown upright") }
        let sizes = [("exif", metadata.exif), ("icc", metadata.icc), ("xmp", metadata.xmp)].compactMap { kind, size in
            size.map { "\(kind) \(ByteCount.text($0))" }
        }
        if !sizes.isEmpty { lines.append("  metadata: " + sizes.joined(separator: ", ")) }
        if let text = camera?.text, !text.isEmpty { lines.append("  camera: \(text)") }
        if let thumbnail {
            let size = "\(thumbnail.width)x\(thumbnail.height)"
            lines.append("  thumbnail: \(thumbnail.format), \(size), \(ByteCount.text(thumbnail.bytes))")
        }
        return lines
    }
}

extension EmbeddedGainMap.Kind {
    fileprivate var name: String {
        switch self {
        case .ultraHDR: "Ultra HDR"
        case .iso21496: "ISO 21496-1"
        case .apple: "Apple"
        }
    }
}

extension PixelLayout {
    fileprivate var name: String {
        switch self {
        case .rgba8, .rgba16: "rgb"
        case .gray8: "gray"
        case .grayAlpha8: "gray with alpha"
        case .cmyk8: "cmyk"
        }
    }
}
