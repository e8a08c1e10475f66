import ImageCodecAVIF
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecWebP
import ImageCore

/// A format of results: its encoder, its names and what it can hold.
struct OutputFormat: Sendable {
    let format: ImageFormat
    /// The media type, for example "image/jpeg".
    var mediaType: String { format.mediaType }
    /// The extensions of file names and URLs. The first one is used for new names.
    let extensions: [String]
    let hasAlpha: Bool
    let isAnimated: Bool
    /// Whether the quality changes the size of the file.
    let isLossy: Bool
    /// The longest side in pixels.
    var largestSide = 65_500
    /// Whether files are progressive or interlaced.
    var isProgressive = false
    var encoder: any ImageEncoder
}

/// The formats of results. To add one, add its encoder here.
enum OutputFormats {
    static let all: [OutputFormat] =
        optional + [
            standard,
            OutputFormat(
                format: .webP, extensions: ["webp"], hasAlpha: true, isAnimated: true,
                isLossy: true, largestSide: 16_383, encoder: WebPEncoder()),
            OutputFormat(
                format: .png, extensions: ["png"], hasAlpha: true, isAnimated: true,
                isLossy: false, encoder: PNGEncoder()),
            OutputFormat(
                format: .gif, extensions: ["gif"], hasAlpha: true, isAnimated: true,
                isLossy: false, encoder: GIFEncoder()),
        ]

    /// The formats that show the whole image in less detail while it arrives, if the client asks for that.
    static let progressive: Set<ImageFormat> = [.jpeg, .jpegXL]

    /// The format of results whose source can't be encoded in its own: JPEG.
    static let standard = OutputFormat(
        format: .jpeg, extensions: ["jpg", "jpeg"], hasAlpha: false, isAnimated: false,
        isLossy: true, encoder: JPEGEncoder())

    /// The formats of enabled traits.
    private static var optional: [OutputFormat] {
        var formats: [OutputFormat] = []
        #if AVIF
            formats.append(
                OutputFormat(
                    format: .avif, extensions: ["avif"], hasAlpha: true, isAnimated: true,
                    isLossy: true, encoder: AVIFEncoder()))
        #endif
        #if JXL
            formats.append(
                OutputFormat(
                    format: .jpegXL, extensions: ["jxl"], hasAlpha: true, isAnimated: true,
                    isLossy: true, encoder: JXLEncoder()))
        #endif
        return formats
    }

    /// Returns the properties of a format, or nil if there is no encoder for it.
    static func output(for format: ImageFormat) -> OutputFormat? { all.first { $0.format == format } }

    /// Returns the media type of a result, which is a source in its own format if it is not processed.
    static func mediaType(of format: ImageFormat) -> String {
        format == .unknown ? "application/octet-stream" : format.mediaType
    }

    /// The formats that imgproxy knows, by its names. This server may have no decoder or encoder for them.
    private static let knownNames: [String: ImageFormat] = [
        "jpg": .jpeg, "jpeg": .jpeg, "png": .png, "webp": .webP, "gif": .gif, "avif": .avif, "heic": .heic,
        "jxl": .jpegXL, "ico": .ico, "svg": .svg, "bmp": .bmp, "tiff": .tiff,
        "pdf": ImageFormat(rawValue: "pdf"), "psd": ImageFormat(rawValue: "psd"),
        "mp4": ImageFormat(rawValue: "mp4"),
    ]

    /// Returns the format with a name, with or without an encoder for it. Throws `.unknownFormat`.
    static func knownFormat(named name: Substring) throws(URLFailure) -> ImageFormat {
        guard let format = knownNames[name.lowercased()] else { throw .unknownFormat(name.lowercased()) }
        return format
    }

    /// Returns the format with an extension, for example "jpg". Throws `.unknownFormat`.
    static func format(named name: Substring) throws(URLFailure) -> ImageFormat {
        let name = name.lowercased()
        guard let match = all.first(where: { $0.extensions.contains(name) }) else { throw .unknownFormat(name) }
        return match.format
    }
}
