public import ImageCore

/// A variant of an image that a server makes from the original.
public struct ImageVariant: Hashable, Sendable {
    /// The URL of the original, without user and password.
    public var source: URL
    /// The largest width in pixels, at least 1; nil if only the height is limited.
    public var width: Int?
    /// The largest height in pixels, at least 1; nil if only the width is limited.
    public var height: Int?
    /// The way in which the image fits the size. It is never enlarged.
    public var mode: ImageTarget.Mode
    /// The quality of lossy formats, from 1 to 100.
    public var quality: Int
    /// The format; nil if the server chooses it.
    public var format: ImageFormat?

    /// Creates a variant. See the properties for the ranges.
    public init(
        source: URL, width: Int?, height: Int?, mode: ImageTarget.Mode, quality: Int, format: ImageFormat?
    ) {
        self.source = source
        self.width = width
        self.height = height
        self.mode = mode
        self.quality = quality
        self.format = format
    }

    /// A text that is equal for equal variants of one source.
    var name: String { "\(mode) \(width ?? 0)x\(height ?? 0) \(quality) \(format?.rawValue ?? "")" }
}

/// Loads images from a server that makes variants: in about the size, in the quality and in the format that are shown.
///
/// ```swift
/// let server = URL(string: "https://images.example.com")
/// options.variants = server.map { .imgproxy($0) }
/// ```
///
/// Equal requests have equal URLs. A request has a variant if it has an http URL, a target up to the last of ``steps``
/// without a part, no headers and no password in its URL. Others load their URL, because another server must not learn who
/// asks.
public struct ImageVariants: Sendable {
    /// The lengths of the longer side, in pixels. The side of a target is rounded up to the next, so that sizes that differ
    /// little share a variant. For `ImageRequest.isLowData` it is the one below. Lengths below 1 are ignored.
    public var steps = standardSteps
    /// The quality of lossy formats, from 1 to 100. Other values are clamped.
    public var quality = 80
    /// The quality for `ImageRequest.isLowData`, from 1 to 100. Other values are clamped.
    public var lowDataQuality = 50
    /// The formats of variants, best first. The first that the loader decodes is used. If there is none, the server chooses.
    public var formats: [ImageFormat] = [.webP]
    private let makeURL: @Sendable (ImageVariant) -> URL?

    /// Lengths from 32 to 4,202 pixels, each a quarter longer than the one before, as the sizes of growing views.
    static let standardSteps = [
        32, 40, 50, 62, 77, 96, 120, 150, 187, 233, 291, 363, 453, 566, 707, 883, 1_103, 1_378, 1_722, 2_152, 2_690,
        3_362,
        4_202,
    ]

    /// No variants: a request with these loads its URL.
    public static let original = ImageVariants { _ in nil }

    /// Creates variants of a server of your own.
    ///
    /// - Parameter url: Returns the URL of a variant, equal for equal variants, or nil to load the original. It is called for
    ///   each lookup, also in memory, and must return quickly. Don't put secrets into URLs.
    public init(url: @escaping @Sendable (_ variant: ImageVariant) -> URL?) { makeURL = url }

    /// Returns the URL of a variant, for example to sign it on a server; nil for the original.
    public func url(for variant: ImageVariant) -> URL? { makeURL(variant) }

    /// A variant to load, and what can be used in its place if it is stored.
    struct Choice {
        var url: URL
        var name: String
        /// Larger variants and the original.
        var larger: [URL]
    }

    /// The number of larger steps that are looked for on disk.
    private static let largerCount = 2

    /// Returns the variant for a target; nil for the original.
    ///
    /// - Parameter decoded: The formats that the loader decodes.
    func choice(of source: URL, for target: ImageTarget, decoded: [ImageFormat], isLowData: Bool) -> Choice? {
        let steps = steps.filter { $0 > 0 }.sorted()
        guard let longer = target.limitedSides.max(), let index = steps.firstIndex(where: { $0 >= longer }) else {
            return nil
        }
        let format = formats.first(where: decoded.contains)
        func variant(_ step: Int, _ quality: Int) -> ImageVariant {
            target.variant(of: source, longer: step, quality: min(max(quality, 1), 100), format)
        }
        let full = steps[index...].prefix(Self.largerCount + 1).map { variant($0, quality) }
        let wanted = isLowData ? variant(steps[max(index - 1, 0)], lowDataQuality) : full[0]
        guard let url = makeURL(wanted) else { return nil }
        let larger = full.filter { $0 != wanted }.prefix(Self.largerCount).compactMap(makeURL)
        return Choice(url: url, name: wanted.name, larger: larger + [source])
    }
}

extension ImageTarget {
    /// The sides that aren't as long as they may be. Views have up to 65,535 pixels.
    fileprivate var limitedSides: [Int] { [size.width, size.height].filter { $0 < 65_535 } }

    /// - Parameter step: The longer side of the variant. The other one keeps the ratio, and is rounded up.
    fileprivate func variant(of source: URL, longer step: Int, quality: Int, _ format: ImageFormat?) -> ImageVariant {
        let limited = limitedSides
        let longer = limited.max() ?? 1
        func scaled(_ side: Int) -> Int? { side < 65_535 ? max(1, (side * step + longer - 1) / longer) : nil }
        // There is nothing to fill if one side may have any length.
        return ImageVariant(
            source: source, width: scaled(size.width), height: scaled(size.height),
            mode: limited.count == 2 ? mode : .fit, quality: quality, format: format)
    }
}
