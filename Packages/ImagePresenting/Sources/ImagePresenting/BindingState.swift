import ImageCore
import ImageLoading

/// The state of a binding: its request, visibility and appearance. Independent of loader, task and surface.
struct BindingState: Sendable {
    /// Identifies one attempt to load, even if the same request is loaded again.
    struct Generation: Hashable, Sendable {
        fileprivate var number: UInt64 = 0
    }

    /// The action that the binding performs after an event.
    enum Action: Sendable {
        case none
        /// Change the priority of the task.
        case prioritize(RequestPriority)
        /// Change the priority of the task, and render.
        case redraw(RequestPriority)
        /// Cancel the task and render.
        case stop
        /// Cancel the task, look up the image in memory, and render. Load the image if it is not in memory.
        case start(ImageRequest, Generation)
    }

    var options: ImageBinding.Options
    /// Identifies requests that show the same image.
    private let key: @Sendable (ImageRequest) -> RequestKey
    private(set) var appearance = ImageAppearance()
    private(set) var request: ImageRequest?
    private(set) var isVisible = true
    private var generation = Generation()
    /// Whether the user has asked for another attempt, until one succeeds.
    private var isRetry = false
    /// Whether the image of the previous request stays until there is a better one.
    private var keepsImage = false
    private var numbers = ImageNumbers()

    init(
        options: ImageBinding.Options,
        key: @escaping @Sendable (ImageRequest) -> RequestKey = { RequestKey($0, key: $0.cacheKey) }
    ) {
        self.options = options
        self.key = key
    }

    /// Returns whether a request shows the same image as the current one.
    func isBound(to other: ImageRequest) -> Bool { request.map(key) == key(other) }

    /// Whether events of this attempt are accepted.
    func awaits(_ generation: Generation) -> Bool { generation == self.generation && appearance.phase.isLoading }

    // MARK: Events of the owner

    mutating func bound(_ newRequest: ImageRequest) -> Action {
        let (previous, isSame) = (request, isBound(to: newRequest))
        request = newRequest
        if isSame, !appearance.phase.isFailure { return rebound(previous) }
        isRetry = false
        keepsImage = options.keepsOldImage || newRequest.isResized(previous, key)
        return begin(.begin)
    }

    /// Handles another request for the same image, which may have another priority and placeholder.
    private mutating func rebound(_ previous: ImageRequest?) -> Action {
        let shows = [.empty, .placeholder].contains(appearance.kind)
        guard shows, let request, let priority, let previous, request.placeholder != previous.placeholder
        else { return priorityAction }
        showPlaceholder()
        return .redraw(priority)
    }

    /// Numbers images like another state, so that no two images have the same number.
    mutating func continueNumbers(of other: BindingState) { numbers = other.numbers }

    mutating func becameVisible(_ visible: Bool) -> Action {
        guard visible != isVisible else { return .none }
        isVisible = visible
        guard request != nil else { return .none }
        switch appearance.phase {
        case .idle: return visible ? begin(.begin) : .none
        case .loading: return mayLoad ? priorityAction : waitUntilVisible()
        case .success: return holdsImages ? .none : waitUntilVisible()
        case .failure: return .none
        }
    }

    mutating func retried() -> Action {
        if appearance.phase.isFailure { isRetry = true }
        return begin(.retry)
    }

    mutating func unbound() -> Action {
        guard request != nil else { return .none }
        request = nil
        appearance.phase.apply(.clear)
        show(nil, .empty)
        return .stop
    }

    private var mayLoad: Bool { isVisible || options.loadsBeforeVisible }
    private var holdsImages: Bool { isVisible || !options.releasesHiddenImage }

    /// The current priority, or `nil` without a request.
    var priority: RequestPriority? {
        guard let requested = request?.priority, !isVisible else { return request?.priority }
        return min(requested, options.priorityBeforeVisible)
    }

    private var priorityAction: Action { priority.map { .prioritize($0) } ?? .none }

    private mutating func begin(_ event: ImagePhase.Event) -> Action {
        guard let request, appearance.phase.apply(event) else { return .none }
        guard mayLoad else { return waitUntilVisible() }
        generation.number += 1
        return .start(isRetry ? request.retried : request, generation)
    }

    /// Waits until the surface is visible, without loading.
    private mutating func waitUntilVisible() -> Action {
        appearance.phase.apply(.clear)
        showWaiting()
        return .stop
    }

    // MARK: Events of the loader

    /// What is in memory for a request.
    enum MemoryLookup: Sendable {
        case hit(LoadedImage)
        /// The request still to load, and the best preview that is in memory.
        case miss(ImageRequest, preview: DecodedImage?)
    }

    /// Handles what is in memory. Returns the request to load if it is not the image. Until then, the placeholder is not
    /// made.
    mutating func lookedUp(_ lookup: MemoryLookup, _ generation: Generation) -> ImageRequest? {
        switch lookup {
        case .hit(let loaded):
            received(.finished(.success(loaded)), generation)
            return nil
        case .miss(let request, let preview):
            if awaits(generation) { showWaiting() }
            if let preview { received(.preview(preview), generation) }
            return request
        }
    }

    /// Handles an event of the task. Returns false if the event is outdated or changes nothing.
    @discardableResult
    mutating func received(_ event: ImageTask.Event, _ generation: Generation) -> Bool {
        guard awaits(generation) else { return false }
        switch event {
        case .progress(let progress): appearance.phase.apply(.progress(progress))
        case .preview(let image):
            guard holdsImages else { return false }
            show(image, .preview)
        case .finished(.success(let loaded)): succeeded(loaded)
        case .finished(.failure(let error)): failed(error)
        }
        return true
    }

    private mutating func succeeded(_ loaded: LoadedImage) {
        isRetry = false
        guard holdsImages else {
            _ = waitUntilVisible()
            return
        }
        appearance.phase.apply(.succeed(loaded.source))
        show(loaded.decoded, .final, loaded.source == .memory ? .immediate : transition)
    }

    private mutating func failed(_ error: ImageError) {
        appearance.phase.apply(.fail(error))
        if appearance.phase.isIdle {
            showPlaceholder()
        } else if let image = request?.failureImage {
            show(image, .failureImage)
        }
    }

    /// Shows another frame of the animation that is shown.
    mutating func played(_ frame: Bitmap, isAnimating: Bool) {
        guard appearance.kind == .final else { return }
        appearance.image?.bitmap = frame
        appearance.imageVersion = numbers.number(of: appearance.image)
        appearance.transition = .immediate
        appearance.isAnimating = isAnimating
    }

    private var transition: ImageTransition {
        request?.transition ?? options.transition
    }

    // MARK: Images

    /// Shows the previous image or the placeholder until there is a better image.
    private mutating func showWaiting() {
        let isUsable = [.final, .preview, .previous].contains(appearance.kind)
        guard keepsImage, holdsImages, isUsable else { return showPlaceholder() }
        appearance.kind = .previous
        appearance.transition = .immediate
    }

    private mutating func showPlaceholder() {
        let placeholder = holdsImages ? request?.placeholder?.makeImage() : nil
        show(placeholder, placeholder == nil ? .empty : .placeholder)
    }

    private mutating func show(
        _ image: DecodedImage?, _ kind: ImageAppearance.Kind, _ transition: ImageTransition = .immediate
    ) {
        appearance.imageVersion = numbers.number(of: image)
        appearance.image = image
        appearance.kind = kind
        appearance.transition = transition
        appearance.isAnimating = false
    }
}

/// Numbers images. A number belongs to one image for ever.
private struct ImageNumbers: Sendable {
    private var last: UInt64 = 0
    /// The image with the last number.
    private var bitmap: Bitmap?

    /// Returns the last number if the image has not changed, and otherwise a new one.
    mutating func number(of image: DecodedImage?) -> UInt64 {
        let isSame =
            image.map { image in bitmap.map { $0.sharesPixels(with: image.bitmap) } ?? false } ?? (bitmap == nil)
        if !isSame { last += 1 }
        bitmap = image?.bitmap
        return last
    }
}

extension ImageRequest {
    /// Whether it is another size of the image of a previous request.
    fileprivate func isResized(
        _ previous: ImageRequest?, _ key: (ImageRequest) -> RequestKey
    ) -> Bool {
        guard var previous else { return false }
        // A view that grows keeps less in memory.
        previous.cachePolicy = cachePolicy
        previous.target = target
        return key(previous) == key(self)
    }

    /// The request for the user's retry. It asks the server, unless it must not use the network.
    fileprivate var retried: ImageRequest {
        var request = self
        if mode == .standard { request.mode = .ignoringStoredErrors }
        return request
    }
}
