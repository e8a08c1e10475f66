public import ImageCore
public import ImageLoading

/// Keeps a surface showing the image that was last asked for. One for each cell, for as long as the cell lives.
///
/// - An image in memory is rendered before `bind` returns: without placeholder, without transition.
/// - Each binding has a generation. What an older one brings is never rendered, whatever it was asked for.
/// - To be bound is not to be visible: lists bind cells ahead of need. Until `setVisible(true)` an image is loaded at a low priority, or not
///   at all (`Options`).
/// - Binding to an equal request again changes nothing, unless that has failed.
/// - When the binding goes, what it waits for is cancelled; when the surface is gone, at the next event.
///
/// ```swift
/// let binding = ImageBinding(loader: loader, surface: cell)
/// binding.bind(request)         // the list has given the cell a row
/// binding.setVisible(true)      // the cell has come onto the screen
/// binding.unbind()              // the cell waits for another row
/// ```
@MainActor
public final class ImageBinding {
    /// How a binding behaves, whatever it is bound to.
    public struct Options: Sendable {
        /// Whether the image before stays until there is a better one, in place of a placeholder.
        public var keepsOldImage = false
        /// Whether images are loaded before they are visible.
        public var loadsBeforeVisible = true
        /// The priority of what is loaded before it is visible; a request of lower priority stays at its own.
        public var priorityBeforeVisible = RequestPriority.low
        /// Whether the final image is given up while it is not visible, to be taken from memory, or loaded, when it is again. For lists that
        /// keep many more cells bound than are to be seen.
        public var releasesHiddenImage = false
        /// How to go over to an image that comes from network or disk, unless the request's own option `transition` says.
        public var transition = ImageTransition.none

        public init() {}
    }

    private let loader: ImageLoader
    private weak var surface: (any ImageSurface)?
    private var state: BindingState
    /// What is under way: to let go of it cancels it, and nothing of it is told after that.
    private var task: ImageTask?

    /// - Parameter surface: held weakly.
    public init(loader: ImageLoader, surface: any ImageSurface, options: Options = Options()) {
        self.loader = loader
        self.surface = surface
        state = BindingState(options: options)
    }

    /// What the surface was last told to render.
    public var appearance: ImageAppearance { state.appearance }
    /// What it is bound to; nil when it is not.
    public var request: ImageRequest? { state.request }
    public var isVisible: Bool { state.isVisible }

    /// Shows the image of a request, from now on.
    public func bind(_ request: ImageRequest) { carryOut(state.bound(request)) }

    /// Tells whether the surface is to be seen. False until it is called; outlasts `bind` and `unbind`.
    public func setVisible(_ visible: Bool) { carryOut(state.becameVisible(visible)) }

    /// Shows nothing, and cancels what was on its way.
    public func unbind() { carryOut(state.unbound()) }

    /// Tries once more, after a failure; nothing otherwise.
    public func retry() { carryOut(state.retried()) }

    private func carryOut(_ action: BindingState.Action) {
        switch action {
        case .none: break
        case .prioritise(let priority): task?.priority = priority
        case .stop:
            task = nil
            render()
        case .start(let request, let generation): start(request, generation)
        }
    }

    private func start(_ request: ImageRequest, _ generation: BindingState.Generation) {
        if let hit = loader.cachedImage(for: request) { return received(.finished(.success(hit)), generation) }
        var request = showingLesser(request, generation)
        render()
        // The surface may have done something about it meanwhile.
        guard state.awaits(generation), let priority = state.priority else { return }
        request.priority = priority
        task = loader.follow(request, for: self, on: .mainActor) { binding, event in
            MainActor.assumeIsolated { binding.received(event, generation) }
        }
    }

    /// Shows the best of the lesser images that memory has; the request that is left asks for better ones only.
    private func showingLesser(_ request: ImageRequest, _ generation: BindingState.Generation) -> ImageRequest {
        var request = request
        for (index, lesser) in request.lowQuality.enumerated().reversed() {
            guard let hit = loader.cachedImage(for: lesser) else { continue }
            state.received(.preview(hit.image), generation)
            request.lowQuality.removeFirst(index + 1)
            break
        }
        return request
    }

    private func received(_ event: ImageTask.Event, _ generation: BindingState.Generation) {
        guard state.received(event, generation) else { return }
        if case .finished = event { task = nil }
        if surface == nil { unbind() } else { render() }
    }

    private func render() { surface?.render(state.appearance) }
}
