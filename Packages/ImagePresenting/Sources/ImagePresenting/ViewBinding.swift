public import ImageCore
public import ImageLoading

/// The binding of a view that learns of its loader with each request: an `ImageBinding` that is made when it is known which.
@MainActor
public final class ViewBinding {
    private weak var surface: (any ImageSurface)?
    private var bound: (loader: ImageLoader, binding: ImageBinding)?

    /// Whether the view is to be seen.
    public var isVisible = false {
        didSet { bound?.binding.setVisible(isVisible) }
    }

    /// - Parameter surface: held weakly.
    public init(surface: any ImageSurface) { self.surface = surface }

    /// Shows the image of a request: before this returns if it is in memory.
    ///
    /// - Parameter options: those of the first call count, as long as the loader stays the same.
    public func bind(_ request: ImageRequest, with loader: ImageLoader, options: ImageBinding.Options) {
        binding(for: loader, options)?.bind(request)
    }

    /// Shows nothing, and cancels what was on its way.
    public func unbind() { bound?.binding.unbind() }

    /// Tries once more, after a failure; nothing otherwise.
    public func retry() { bound?.binding.retry() }

    private func binding(for loader: ImageLoader, _ options: ImageBinding.Options) -> ImageBinding? {
        if let bound, bound.loader === loader { return bound.binding }
        guard let surface else { return nil }
        bound?.binding.unbind()
        let binding = ImageBinding(loader: loader, surface: surface, options: options)
        binding.setVisible(isVisible)
        bound = (loader, binding)
        return binding
    }
}
