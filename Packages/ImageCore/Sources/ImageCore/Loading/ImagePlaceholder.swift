/// What a view shows while an image loads. Other modules extend it: `ImageThumbHash` has `.thumbHash(_:)`.
public struct ImagePlaceholder: Sendable {
    private let id: (any Hashable & Sendable)?
    /// Returns the image. Call it only if the placeholder is shown.
    public let makeImage: @Sendable () -> DecodedImage

    /// An image that is in memory.
    public static func image(_ image: DecodedImage) -> ImagePlaceholder { .deferred(id: image) { image } }

    /// A bitmap that is in memory.
    public static func bitmap(_ bitmap: Bitmap) -> ImagePlaceholder { .image(DecodedImage(bitmap)) }

    /// An image that is made only when a view shows it.
    ///
    /// - Parameters:
    ///   - id: Identifies the placeholder, if a view may get another one for the same image.
    ///   - make: Called on the main actor, each time. It must take much less than a frame.
    public static func deferred(
        id: (any Hashable & Sendable)? = nil, _ make: @escaping @Sendable () -> DecodedImage
    ) -> ImagePlaceholder {
        ImagePlaceholder(id: id, makeImage: make)
    }
}

extension ImagePlaceholder: Equatable {
    /// Compares images in memory, and the ids of others.
    public static func == (left: ImagePlaceholder, right: ImagePlaceholder) -> Bool {
        left.id.map { AnyHashable($0) } == right.id.map { AnyHashable($0) }
    }
}

extension ImageRequest {
    /// What a view shows while it loads the image; nil for nothing.
    public var placeholder: ImagePlaceholder? {
        get { userInfo[.placeholder, as: ImagePlaceholder.self] }
        set { userInfo[.placeholder] = newValue }
    }

    /// The image that a view shows after a failure; nil for the placeholder.
    public var failureImage: DecodedImage? {
        get { userInfo[.failureImage, as: DecodedImage.self] }
        set { userInfo[.failureImage] = newValue }
    }
}
