import ImageCore
import ImageLoading

/// What a binding is bound to and shows. Pure: knows no loader, task or surface.
struct BindingState: Sendable {
    /// Tells each beginning from all others, also of the same request.
    struct Generation: Hashable, Sendable {
        fileprivate var number: UInt64 = 0
    }

    /// What the shell is to do.
    enum Action: Sendable {
        case none
        /// Move what is under way.
        case prioritise(RequestPriority)
        /// Cancel what is under way, and render.
        case stop
        /// Cancel what is under way, look into memory, render, and load if memory has nothing.
        case start(ImageRequest, Generation)
    }

    let options: ImageBinding.Options
    private(set) var appearance = ImageAppearance()
    private(set) var request: ImageRequest?
    private(set) var isVisible = false
    private var generation = Generation()

    init(options: ImageBinding.Options) { self.options = options }

    /// True while an answer to this beginning would be taken.
    func awaits(_ generation: Generation) -> Bool { generation == self.generation && appearance.phase.isLoading }

    // MARK: What the owner wants

    mutating func bound(_ wanted: ImageRequest) -> Action {
        let isSame = wanted == request
        request = wanted
        if isSame, !appearance.phase.isFailure { return priorityAction }
        return begin(.begin)
    }

    mutating func becameVisible(_ visible: Bool) -> Action {
        guard visible != isVisible else { return .none }
        isVisible = visible
        guard request != nil else { return .none }
        switch appearance.phase {
        case .idle: return visible ? begin(.begin) : .none
        case .loading: return mayLoad ? priorityAction : park()
        case .success: return holdsImages ? .none : park()
        case .failure: return .none
        }
    }

    mutating func retried() -> Action { begin(.retry) }

    mutating func unbound() -> Action {
        guard request != nil else { return .none }
        request = nil
        appearance.phase.apply(.clear)
        show(nil, .none)
        return .stop
    }

    private var mayLoad: Bool { isVisible || options.loadsBeforeVisible }
    private var holdsImages: Bool { isVisible || !options.releasesHiddenImage }

    /// The priority of what is bound, as it is now; nil when nothing is.
    var priority: RequestPriority? {
        guard let wanted = request?.priority, !isVisible else { return request?.priority }
        return min(wanted, options.priorityBeforeVisible)
    }

    private var priorityAction: Action { priority.map { .prioritise($0) } ?? .none }

    private mutating func begin(_ event: ImagePhase.Event) -> Action {
        guard let request, appearance.phase.apply(event) else { return .none }
        guard mayLoad else { return park() }
        generation.number += 1
        showWaiting()
        return .start(request, generation)
    }

    /// Waits for visibility, loading nothing.
    private mutating func park() -> Action {
        appearance.phase.apply(.clear)
        showWaiting()
        return .stop
    }

    // MARK: What the loader tells

    /// False when it changes nothing: it is the answer to something else, or has no place in the present phase.
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
        guard holdsImages else {
            _ = park()
            return
        }
        appearance.phase.apply(.succeed(loaded.source))
        show(loaded.image, .final, loaded.source == .memory ? .none : transition)
    }

    private mutating func failed(_ error: ImageError) {
        appearance.phase.apply(.fail(error))
        if appearance.phase.isIdle {
            showPlaceholder()
        } else if let image = request?.options[.failureImage, as: DecodedImage.self] {
            show(image, .failureImage)
        }
    }

    private var transition: ImageTransition {
        request?.options[.transition, as: ImageTransition.self] ?? options.transition
    }

    // MARK: Images

    /// What is to be seen until something of the image is there.
    private mutating func showWaiting() {
        let isOfUse = [.final, .preview, .kept].contains(appearance.kind)
        guard options.keepsOldImage, holdsImages, isOfUse else { return showPlaceholder() }
        (appearance.kind, appearance.transition) = (.kept, .none)
    }

    private mutating func showPlaceholder() {
        let placeholder = request?.options[.placeholder, as: DecodedImage.self]
        show(placeholder, placeholder == nil ? .none : .placeholder)
    }

    private mutating func show(
        _ image: DecodedImage?, _ kind: ImageAppearance.Kind, _ transition: ImageTransition = .none
    ) {
        if image != nil || appearance.image != nil { appearance.imageNumber += 1 }
        (appearance.image, appearance.kind, appearance.transition) = (image, kind, transition)
    }
}
