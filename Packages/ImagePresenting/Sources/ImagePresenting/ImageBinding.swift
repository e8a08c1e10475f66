public import ImageCore
import ImageLoading

/// Loads images and renders them on an `ImageSurface`, such as a view or a cell of a list.
///
/// If the image is in the memory cache, `bind` renders it before it returns, without a transition. Otherwise, it renders
/// the placeholder of the request before it returns, then its previews, if any, and then the image. If loading fails,
/// `ImageAppearance.phase` contains the error, and the surface shows the failure image of the request, if any.
///
/// - Create one binding for each cell.
/// - Binding another request cancels the previous one, whose later results are never rendered.
/// - Binding an equal request changes only the priority. If the request has failed, the image is loaded again.
/// - With an `AnimationClock`, an animated image plays while the surface is visible.
/// - A surface counts as visible until `isVisible = false`. An invisible one loads at a low priority, or not at all.
/// - Deallocating the binding cancels its request. If the surface is deallocated, the next event cancels it.
///
/// ```swift
/// let binding = ImageBinding(loader: loader)
/// binding.surface = cell
/// binding.bind(request)         // the list assigns a row to the cell
/// binding.isVisible = false     // the cell leaves the screen
/// binding.unbind()              // the cell is ready for reuse
/// ```
@MainActor
public final class ImageBinding {
    /// The options of a binding, for all its requests.
    public struct Options: Sendable {
        /// Whether the previous image stays visible, instead of a placeholder, until there is a better one.
        public var keepsOldImage = false
        /// Whether images are loaded before the surface is visible.
        public var loadsBeforeVisible = true
        /// The priority until the surface is visible. A request with a lower priority keeps its own.
        public var priorityBeforeVisible = RequestPriority.low
        /// Whether all images are released while the surface is hidden, and loaded again when it is visible. Use it for
        /// lists with many more bound than visible cells.
        public var releasesHiddenImage = false
        /// The transition to an image from the network or disk. The option `transition` of a request takes precedence.
        public var transition = ImageTransition.immediate

        /// Creates options from the values of the properties.
        public init(
            keepsOldImage: Bool = false, loadsBeforeVisible: Bool = true,
            priorityBeforeVisible: RequestPriority = .low, releasesHiddenImage: Bool = false,
            transition: ImageTransition = .immediate
        ) {
            self.keepsOldImage = keepsOldImage
            self.loadsBeforeVisible = loadsBeforeVisible
            self.priorityBeforeVisible = priorityBeforeVisible
            self.releasesHiddenImage = releasesHiddenImage
            self.transition = transition
        }
    }

    /// The options of the binding. A change has an effect on what happens next.
    public var options: Options {
        get { state.options }
        set { state.options = newValue }
    }

    /// Draws the images; held weakly. A new surface renders the current appearance if there is a request. With nil, the
    /// binding loads images and renders nothing.
    public weak var surface: (any ImageSurface)? {
        didSet {
            hasSurface = surface != nil
            if state.request != nil { render() }
        }
    }
    /// Whether a surface is set, even if it was deallocated since.
    private var hasSurface: Bool

    private let loader: any ImageLoaderProtocol
    /// Prepares each loaded image for drawing, outside of the main actor.
    var prepare: (@Sendable (Bitmap) -> Void)?
    private var state: BindingState
    /// Plays animated images. Another clock starts with the first frame again, which is shown without one.
    var clock: AnimationClock? {
        didSet {
            guard clock !== oldValue else { return }
            player?.rewind()
            stopPlaying()
            play(nil)
        }
    }
    /// The current task. Releasing it cancels the request, and no further event is delivered.
    private var task: ImageTask?
    /// Plays the image that is shown, if it is animated.
    private var player: AnimationPlayer?

    /// Creates a binding without a request.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - surface: It is held weakly. A view can create its binding before itself, and set it later.
    ///   - options: What the surface shows before and between images.
    ///   - clock: The clock of the surface's window, which plays animated images. With nil, they show their first frame.
    public init(
        loader: any ImageLoaderProtocol, surface: (any ImageSurface)? = nil, options: Options = Options(),
        clock: AnimationClock? = nil
    ) {
        self.loader = loader
        self.clock = clock
        self.surface = surface
        hasSurface = surface != nil
        state = BindingState(options: options) { loader.key(of: $0) }
    }

    /// The clock retains a visible player.
    deinit {
        if let player { Task { @MainActor in player.end() } }
    }

    /// The appearance that was rendered last.
    public var appearance: ImageAppearance { state.appearance }
    /// The current request, or `nil` if the binding is unbound.
    public var request: ImageRequest? { state.request }
    /// Whether the surface is visible. Initially true. `bind` and `unbind` do not change it.
    public var isVisible: Bool {
        get { state.isVisible }
        set {
            perform(state.becameVisible(newValue))
            player?.isVisible = state.isVisible
        }
    }

    /// Shows the image of a request. Cancels the previous request unless it is equal.
    public func bind(_ request: ImageRequest) { perform(state.bound(request)) }

    /// Clears the surface and cancels the request.
    public func unbind() { perform(state.unbound()) }

    /// Loads the image again after a failure, from the server even if a response such as 404 is stored.
    public func retry() { perform(state.retried()) }

    private func perform(_ action: BindingState.Action) {
        switch action {
        case .none: break
        case .prioritize(let priority): task?.priority = priority
        case .redraw(let priority):
            task?.priority = priority
            render()
        case .stop:
            task = nil
            stopPlaying()
            render()
        case .start(let request, let generation): start(request, generation)
        }
    }

    private func start(_ request: ImageRequest, _ generation: BindingState.Generation) {
        stopPlaying()
        task = nil
        let missing = state.lookedUp(lookUp(request), generation)
        renderOrUnbind()
        guard var request = missing else { return play(nil) }
        // The surface may have changed the binding while it rendered.
        guard state.awaits(generation), let priority = state.priority else { return }
        request.priority = priority
        let plays = clock.map { !$0.reducesMotion } ?? false
        let task = plays ? loader.animationTask(for: request) : loader.task(for: request)
        self.task = task
        Task { [weak self, state = task.state, prepare] in
            await state.deliver(preparing: prepare) { self?.received($0, generation) }
        }
    }

    /// Returns what the surface will show at once when a request is bound. Starts nothing.
    func upcomingAppearance(for request: ImageRequest) -> ImageAppearance {
        var upcoming = state
        var action = upcoming.becameVisible(true)
        if !state.isBound(to: request) { action = upcoming.bound(request) }
        guard case .start(let started, let generation) = action else { return state.appearance }
        _ = upcoming.lookedUp(lookUp(started), generation)
        state.continueNumbers(of: upcoming)
        return upcoming.appearance
    }

    /// Looks up the image in memory, and otherwise the best one of `lowQuality`.
    private func lookUp(_ request: ImageRequest) -> BindingState.MemoryLookup {
        if let hit = loader.cachedImage(for: request) { return .hit(hit) }
        var request = request
        for (index, preview) in request.lowQuality.enumerated().reversed() {
            guard let hit = loader.cachedImage(for: preview) else { continue }
            request.lowQuality.removeFirst(index + 1)
            return .miss(request, preview: hit.decoded)
        }
        return .miss(request, preview: nil)
    }

    private func received(_ event: ImageTask.Event, _ generation: BindingState.Generation) {
        guard state.received(event, generation) else { return }
        guard case .finished = event else { return renderOrUnbind() }
        let frames = task?.state.frames
        task = nil
        renderOrUnbind()
        play(frames)
    }

    private func renderOrUnbind() {
        if let surface { surface.render(state.appearance) } else if hasSurface { unbind() }
    }

    // MARK: Animation

    /// Plays the image that is shown, if it is animated, unless the surface has changed the binding while it rendered.
    private func play(_ frames: (any AnimationFrames)?) {
        guard let clock, player == nil, state.appearance.kind == .final, let image = state.appearance.image,
            image.header.frameCount > 1, var request = state.request
        else { return }
        if request.mode.needsServer { request.mode = .standard }
        player = AnimationPlayer(
            first: image.bitmap, frameCount: image.header.frameCount, frames: frames, clock: clock
        ) { [loader, request] in
            try await loader.animation(for: request).frames
        } show: { [weak self] frame, isAnimating in
            self?.state.played(frame, isAnimating: isAnimating)
            self?.renderOrUnbind()
        }
        player?.isVisible = state.isVisible
    }

    private func stopPlaying() {
        player?.end()
        player = nil
    }

    private func render() { surface?.render(state.appearance) }
}
