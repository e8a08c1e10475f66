/// A file format. You can add constants for other formats.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The usual short name in lowercase, for example "jpeg".
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// JPEG File Interchange Format and Exif files (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// Portable Network Graphics (W3C PNG, ISO/IEC 15948).
    public static let png = ImageFormat(rawValue: "png")
    /// WebP (RFC 9649).
    public static let webp = ImageFormat(rawValue: "webp")
    /// Graphics Interchange Format, versions 87a and 89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// AV1 Image File Format (AOMedia AVIF 1.1), still and animated.
    public static let avif = ImageFormat(rawValue: "avif")
    /// High Efficiency Image File Format with HEVC (ISO/IEC 23008-12), which cameras write as HEIC.
    public static let heic = ImageFormat(rawValue: "heic")
    /// JPEG XL (ISO/IEC 18181), a code stream or in a container.
    public static let jxl = ImageFormat(rawValue: "jxl")
}
