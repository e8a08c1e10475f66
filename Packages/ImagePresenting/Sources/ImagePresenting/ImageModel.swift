public import ImageCore
public import ImageLoading
public import Observation

/// The same as an `ImageBinding` with its surface, for toolkits that observe: what is to be drawn is a property.
///
/// ```swift
/// let model = ImageModel(loader: loader)
/// model.show(request)          // as long as the view is there
/// draw(model.appearance)       // observed
/// model.clear()                // when it is gone
/// ```
@MainActor
@Observable
public final class ImageModel {
    /// What is to be drawn now.
    public private(set) var appearance = ImageAppearance()
    @ObservationIgnored private let relay: Relay
    @ObservationIgnored private let binding: ImageBinding
    @ObservationIgnored private let loader: ImageLoader

    public init(loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options()) {
        self.loader = loader
        relay = Relay()
        binding = ImageBinding(loader: loader, surface: relay, options: options)
        relay.model = self
    }

    /// What it shows the image of; nil for nothing. Not observed.
    public var request: ImageRequest? { binding.request }

    /// What is to be drawn for a request that is about to be shown, by toolkits that draw before they tell what has appeared: its image, if
    /// memory has it; never what another request has left. Observes the model in any case.
    public func appearance(for request: ImageRequest) -> ImageAppearance {
        let shown = appearance
        guard binding.request != request else { return shown }
        let number = shown.imageNumber + 1
        guard let hit = loader.cachedImage(for: request) else { return ImageAppearance(imageNumber: number) }
        return ImageAppearance(
            phase: .success(.memory), image: hit.image, kind: .final, imageNumber: number)
    }

    /// Shows the image of a request, which is taken to be seen: an image in memory is there when this returns.
    public func show(_ request: ImageRequest) {
        binding.setVisible(true)
        binding.bind(request)
    }

    /// Tells whether it is to be seen; `show` says so by itself.
    public func setVisible(_ visible: Bool) { binding.setVisible(visible) }

    /// Shows nothing, and cancels what was on its way.
    public func clear() { binding.unbind() }

    /// Tries once more, after a failure; nothing otherwise.
    public func retry() { binding.retry() }

    /// What the binding renders into.
    private final class Relay: ImageSurface {
        weak var model: ImageModel?

        func render(_ appearance: ImageAppearance) { model?.appearance = appearance }
    }
}
