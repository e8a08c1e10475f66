public import ImageCore
public import Observation

/// The observable counterpart of an `ImageBinding` and its surface, for toolkits with observation.
///
/// ```swift
/// let model = ImageModel(loader: loader)
/// model.show(request)          // when the view appears
/// draw(model.appearance)       // observed
/// model.clear()                // when the view disappears
/// ```
@MainActor
@Observable
public final class ImageModel {
    /// The current appearance, to be drawn by the view.
    public private(set) var appearance = ImageAppearance()
    @ObservationIgnored private let relay: Relay
    @ObservationIgnored private let binding: ImageBinding

    /// Creates a model without a request.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - options: What the view shows before and between images.
    ///   - clock: Plays animated images. With nil, they show their first frame.
    public init(
        loader: any ImageLoaderProtocol, options: ImageBinding.Options = ImageBinding.Options(),
        clock: AnimationClock? = nil
    ) {
        relay = Relay()
        binding = ImageBinding(loader: loader, surface: relay, options: options, clock: clock)
        relay.model = self
    }

    /// Prepares each loaded image for drawing, outside of the main actor.
    package var prepare: (@Sendable (Bitmap) -> Void)? {
        get { binding.prepare }
        set { binding.prepare = newValue }
    }

    /// The current request, or `nil` if there is none. Not observed.
    public var request: ImageRequest? { binding.request }

    /// Returns what to draw for a request that is about to be shown.
    ///
    /// Use it if your toolkit draws a view before the view appears: it is what the model will have after `show`, such as
    /// the image if it is in memory, or else the placeholder. Starts nothing, and always observes the model.
    public func appearance(for request: ImageRequest) -> ImageAppearance {
        _ = appearance
        return binding.upcomingAppearance(for: request)
    }

    /// The options of the binding. Not observed.
    public var options: ImageBinding.Options {
        get { binding.options }
        set { binding.options = newValue }
    }

    /// Shows the image of a request, and makes the model visible. An image in memory is available at once.
    public func show(_ request: ImageRequest) {
        binding.isVisible = true
        binding.bind(request)
    }

    /// Whether the view is visible. `show` makes it visible. Not observed.
    public var isVisible: Bool {
        get { binding.isVisible }
        set { binding.isVisible = newValue }
    }

    /// Clears the image and cancels the request.
    public func clear() { binding.unbind() }

    /// Loads the image again after a failure. See `ImageBinding.retry()`.
    public func retry() { binding.retry() }

    /// The surface of the binding. Copies the appearance to the model.
    private final class Relay: ImageSurface {
        weak var model: ImageModel?

        func render(_ appearance: ImageAppearance) { model?.appearance = appearance }
    }
}
