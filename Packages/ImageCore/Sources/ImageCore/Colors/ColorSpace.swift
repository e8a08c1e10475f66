/// A color space of bitmaps.
///
/// A new one is a case with its properties in this file: codecs, converters and encoders only read them. Cases are ordered
/// by the size of their gamuts.
@nonexhaustive
public enum ColorSpace: String, Hashable, Sendable, CaseIterable {
    /// sRGB (IEC 61966-2-1): the color space of images that don't describe theirs.
    case sRGB = "srgb"
    /// Display P3: the primaries of SMPTE EG 432-1 with the transfer function of sRGB.
    case displayP3 = "p3"

    /// The white point and the primaries.
    package var primaries: RGBPrimaries {
        switch self {
        case .sRGB: .sRGB
        case .displayP3: .displayP3
        }
    }

    /// The transfer function.
    package var transfer: TransferFunction { .sRGB }

    /// The code points of ITU-T H.273, tables 2 and 3, for files that describe colors by them.
    package var codePoints: (primaries: Int, transfer: Int) {
        switch self {
        case .sRGB: (1, 13)
        case .displayP3: (12, 13)
        }
    }

    /// An ICC profile of about 500 bytes for files with pixels in this color space; nil for sRGB, which needs none.
    public var profile: Data? {
        switch self {
        case .sRGB: nil
        case .displayP3: Self.displayP3Profile
        }
    }

    private static let displayP3Profile = ICCProfile.make(
        named: "Display P3", primaries: .displayP3, transfer: .sRGB)
}

/// The color space to which an image is decoded.
@nonexhaustive
public enum OutputColor: Hashable, Sendable {
    /// A color space, for all images.
    case space(ColorSpace)
    /// Display P3 if the gamut of the file's color space is larger than sRGB, otherwise sRGB.
    case automatic

    /// sRGB, for all images.
    public static let sRGB = OutputColor.space(.sRGB)
    /// Display P3, for all images.
    public static let displayP3 = OutputColor.space(.displayP3)

    #if canImport(ImageIO)
        static let ofViews = OutputColor.automatic
    #else
        static let ofViews = OutputColor.sRGB
    #endif
}

extension OutputColor: LosslessStringConvertible, CaseIterable {
    /// Creates a color from the raw value of a color space, or `auto`.
    public init?(_ description: String) {
        guard let match = Self.allCases.first(where: { $0.description == description }) else { return nil }
        self = match
    }

    public var description: String {
        switch self {
        case .space(let space): space.rawValue
        case .automatic: "auto"
        }
    }

    public static var allCases: [OutputColor] { ColorSpace.allCases.map(OutputColor.space) + [.automatic] }
}
