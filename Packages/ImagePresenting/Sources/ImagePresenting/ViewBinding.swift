package import ImageCore

/// The binding of a view that receives its loader with each request. Creates an `ImageBinding` for each loader.
@MainActor
package final class ViewBinding {
    private weak var surface: (any ImageSurface)?
    /// Plays animated images, for example in the window of the view. With nil, they rest.
    package var clock: AnimationClock? {
        didSet { bound?.binding.clock = clock }
    }
    private let prepare: @Sendable (Bitmap) -> Void
    private var bound: (loader: any ImageLoaderProtocol, binding: ImageBinding)?
    /// What the view shows, without its size.
    private var wanted: Wanted?
    private var target = ViewTarget()

    private struct Wanted {
        let request: ImageRequest
        let loader: any ImageLoaderProtocol
        let options: ImageBinding.Options
    }

    /// Whether the view is visible. Initially true.
    package var isVisible = true {
        didSet { bound?.binding.isVisible = isVisible }
    }

    /// - Parameters:
    ///   - surface: The view. It is held weakly.
    ///   - prepare: Prepares each loaded image for drawing, outside of the main actor.
    package init(
        surface: any ImageSurface, preparing prepare: @escaping @Sendable (Bitmap) -> Void = { _ in }
    ) {
        self.surface = surface
        self.prepare = prepare
    }

    /// Shows the image of a request. An image in memory is rendered before this method returns.
    package func bind(
        _ request: ImageRequest, with loader: any ImageLoaderProtocol, options: ImageBinding.Options
    ) {
        binding(for: loader, options)?.bind(request)
    }

    /// Clears the view and cancels its request.
    package func unbind() {
        wanted = nil
        bound?.binding.unbind()
    }

    /// Shows the image of a request at the size of the view, when it has one, or none.
    package func load(
        _ request: ImageRequest?, with loader: any ImageLoaderProtocol, options: ImageBinding.Options,
        in space: ViewSpace
    ) {
        guard let request else { return unbind() }
        wanted = Wanted(request: request, loader: loader, options: options)
        if let sized = target.sized(request, in: space) {
            bind(sized, with: loader, options: options)
        } else {
            bound?.binding.unbind()
        }
    }

    /// Loads a larger image if the view has grown.
    package func layOut(in space: ViewSpace) {
        guard let wanted, let sized = target.sized(wanted.request, in: space) else { return }
        if let shown = bound?.binding.request, shown.target == sized.target { return }
        bind(sized, with: wanted.loader, options: wanted.options)
    }

    /// Loads the image again after a failure. See `ImageBinding.retry()`.
    package func retry() { bound?.binding.retry() }

    private func binding(
        for loader: any ImageLoaderProtocol, _ options: ImageBinding.Options
    ) -> ImageBinding? {
        if let bound, bound.loader === loader {
            bound.binding.options = options
            return bound.binding
        }
        guard let surface else { return nil }
        bound?.binding.unbind()
        let binding = ImageBinding(loader: loader, surface: surface, options: options, clock: clock)
        binding.prepare = prepare
        binding.isVisible = isVisible
        bound = (loader, binding)
        return binding
    }
}
