public import ImageCore

/// The transition of a surface to a new image.
@nonexhaustive
public enum ImageTransition: Hashable, Sendable {
    /// Without a transition.
    case immediate
    /// The new image fades in over the background of the surface.
    case fadeIn(Duration)
    /// The new image fades in while the old image or placeholder fades out.
    case crossDissolve(Duration)

    /// The duration in seconds, or `nil` if there is no transition.
    package var seconds: Double? {
        switch self {
        case .immediate: nil
        case .fadeIn(let duration), .crossDissolve(let duration): duration / .seconds(1)
        }
    }
}

extension ImageUserInfo.Key {
    fileprivate static let transition = Self(rawValue: "ImagePresenting.transition")
}

extension ImageRequest {
    /// The transition with which views show the image; nil for that of the view.
    public var transition: ImageTransition? {
        get { userInfo[.transition, as: ImageTransition.self] }
        set { userInfo[.transition] = newValue }
    }

    /// Whether a view that shows the same image looks the same with another request.
    package func looksLike(_ other: ImageRequest) -> Bool {
        placeholder == other.placeholder && failureImage == other.failureImage && transition == other.transition
    }
}

/// Everything that a surface draws.
public struct ImageAppearance: Hashable, Sendable {
    /// The kind of image.
    @nonexhaustive
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// No image. The surface draws its own placeholder, or nothing.
        case empty
        /// The placeholder of the request.
        case placeholder
        /// The image of the previous request, shown until there is a better one.
        case previous
        /// An incomplete or smaller version of the requested image.
        case preview
        /// The requested image.
        case final
        /// The failure image of the request.
        case failureImage
    }

    /// The phase of loading.
    public var phase: ImagePhase
    /// The image to draw, or `nil` if the surface draws its own placeholder.
    public var image: DecodedImage?
    /// The kind of `image`.
    public var kind: Kind
    /// The transition to this appearance. `.immediate` except for images that were not in memory.
    public var transition: ImageTransition
    /// Whether the image is a frame of a playing animation, so that another follows soon.
    public var isAnimating = false
    /// A number that changes whenever `image` changes, so that a surface draws each image once.
    public var imageVersion: UInt64

    /// Creates an appearance. By default, it is idle and has no image.
    public init(
        phase: ImagePhase = .idle, image: DecodedImage? = nil, kind: Kind = .empty,
        transition: ImageTransition = .immediate, imageVersion: UInt64 = 0
    ) {
        self.phase = phase
        self.image = image
        self.kind = kind
        self.transition = transition
        self.imageVersion = imageVersion
    }
}

/// A view, cell or widget that draws an image.
@MainActor
public protocol ImageSurface: AnyObject {
    /// Draws an appearance. Called synchronously for each change. You may call the binding here.
    func render(_ appearance: ImageAppearance)
}
