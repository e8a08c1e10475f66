/// A decoded image with its header. Copying it copies two references.
public struct DecodedImage: Sendable {
    /// The pixels: upright, with straight alpha. Missing parts of an incomplete image are transparent.
    public var bitmap: Bitmap
    private var facts: Facts

    /// Whether the image is complete.
    public enum Completeness: String, Hashable, Sendable, CaseIterable {
        /// The whole image.
        case complete
        /// A preview. A better image follows.
        case preview
        /// The decodable part of a truncated file. No better image follows.
        case truncated
    }

    /// Creates an image from its pixels and the header of its file.
    public init(bitmap: Bitmap, header: ImageHeader, completeness: Completeness = .complete) {
        self.bitmap = bitmap
        facts = Facts(header: header, completeness: completeness)
    }

    /// Creates an image from pixels that come from no file. The format of its header is `bitmap`.
    public init(_ bitmap: Bitmap) {
        let header = ImageHeader(
            format: ImageFormat(rawValue: "bitmap"), storedSize: bitmap.size, hasAlpha: !bitmap.isOpaque)
        self.init(bitmap: bitmap, header: header)
    }

    /// The header of the file.
    public var header: ImageHeader {
        get { facts.header }
        set { facts = Facts(header: newValue, completeness: completeness) }
    }

    /// Whether the image is complete.
    public var completeness: Completeness {
        get { facts.completeness }
        set { facts = Facts(header: header, completeness: newValue) }
    }

    /// The memory size of the image in bytes, including its color profile and the delays of an animation.
    public var byteCount: Int {
        bitmap.byteCount + (header.colorProfile?.count ?? 0)
            + header.frameDelays.count * MemoryLayout<Duration>.stride
    }
}

extension DecodedImage: Hashable {
    public static func == (left: DecodedImage, right: DecodedImage) -> Bool {
        left.bitmap == right.bitmap && left.header == right.header && left.completeness == right.completeness
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bitmap)
        hasher.combine(header)
        hasher.combine(completeness)
    }
}

extension DecodedImage {
    /// Returns a weak reference to the image, or nil if nothing else retains its pixels.
    package mutating func weakReference() -> WeakDecodedImage? {
        bitmap.weakReference().map { WeakDecodedImage(bitmap: $0, facts: facts) }
    }

    /// A reference that does not retain the pixels of an image, but the rest of it.
    package struct WeakDecodedImage: Sendable {
        private let bitmap: Bitmap.WeakBitmap
        private let facts: Facts

        fileprivate init(bitmap: Bitmap.WeakBitmap, facts: Facts) {
            self.bitmap = bitmap
            self.facts = facts
        }

        /// The image, or nil if its pixels were released.
        package var image: DecodedImage? { bitmap.bitmap.map { DecodedImage(bitmap: $0, facts: facts) } }
    }

    private init(bitmap: Bitmap, facts: Facts) {
        self.bitmap = bitmap
        self.facts = facts
    }
}

/// The properties of an image other than its pixels, shared by all copies.
private final class Facts: Sendable {
    let header: ImageHeader
    let completeness: DecodedImage.Completeness

    init(header: ImageHeader, completeness: DecodedImage.Completeness) {
        self.header = header
        self.completeness = completeness
    }
}
