public import ImageCore

/// How a surface goes over from what it shows to another image.
public enum ImageTransition: Hashable, Sendable {
    /// At once.
    case none
    /// The new image comes out of the surface's background.
    case fadeIn(Duration)
    /// The new image comes while the old one, or the placeholder, goes.
    case crossDissolve(Duration)

    /// How long it takes; nil for a change at once.
    public var seconds: Double? {
        switch self {
        case .none: nil
        case .fadeIn(let duration), .crossDissolve(let duration): duration / .seconds(1)
        }
    }
}

/// All there is to draw: what a surface renders, and nothing else.
public struct ImageAppearance: Sendable {
    /// What the image is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There is none: the surface draws a placeholder of its own, or nothing.
        case none
        /// The request's `placeholder`.
        case placeholder
        /// The image of the request before this one, until there is a better one.
        case kept
        /// The image that is wanted, as far as it has come, or a lesser one of the same.
        case preview
        /// The image that is wanted.
        case final
        /// The request's `failureImage`.
        case failureImage
    }

    public var phase: ImagePhase
    /// Nil when the surface is to draw a placeholder of its own.
    public var image: DecodedImage?
    public var kind: Kind
    /// How to go over to this appearance. `.none` but for images that were waited for.
    public var transition: ImageTransition
    /// Another one whenever `image` is another one: a surface that has drawn this number already has nothing to upload.
    public var imageNumber: UInt64

    public init(
        phase: ImagePhase = .idle, image: DecodedImage? = nil, kind: Kind = .none,
        transition: ImageTransition = .none, imageNumber: UInt64 = 0
    ) {
        self.phase = phase
        self.image = image
        self.kind = kind
        self.transition = transition
        self.imageNumber = imageNumber
    }
}

/// What draws: a view, a cell, a widget.
@MainActor
public protocol ImageSurface: AnyObject {
    /// Called in the turn in which what is to be drawn changes. May call the binding.
    func render(_ appearance: ImageAppearance)
}
