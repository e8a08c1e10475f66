public import ImageCore

/// The loading phase of a view's image.
public enum ImagePhase: Hashable, Sendable {
    /// No image is requested, or loading has not started.
    case idle
    /// Loading. The progress is `nil` until the first bytes arrive.
    case loading(WorkProgress?)
    /// Loaded from this source.
    case success(ImageSource)
    /// Failed with this error.
    case failure(ImageError)

    /// An event in the life of a view's image.
    enum Event: Sendable {
        /// Loading starts. Valid in every phase.
        case begin
        /// More bytes have arrived. Valid while loading.
        case progress(WorkProgress)
        /// The image is loaded. Valid while loading.
        case succeed(ImageSource)
        /// Loading has failed. Valid while loading. Cancellation is not a failure and leads to `.idle`.
        case fail(ImageError)
        /// The image is loaded again. Valid only after a failure.
        case retry
        /// The image is no longer needed. Valid in every phase except `.idle`.
        case clear
    }

    /// Returns the phase after an event, or nil if the event is invalid in this phase.
    func after(_ event: Event) -> ImagePhase? {
        switch (self, event) {
        case (_, .begin), (.failure, .retry): .loading(nil)
        case (.loading, .progress(let progress)): .loading(progress)
        case (.loading, .succeed(let source)): .success(source)
        case (.loading, .fail(.cancelled)): .idle
        case (.loading, .fail(let error)): .failure(error)
        case (.loading, .clear), (.success, .clear), (.failure, .clear): .idle
        default: nil
        }
    }

    /// Changes to the phase after an event. Returns false and changes nothing if the event is invalid in this phase.
    @discardableResult
    mutating func apply(_ event: Event) -> Bool {
        guard let next = after(event) else { return false }
        self = next
        return true
    }

    /// Whether no image is requested, or loading has not started.
    public var isIdle: Bool { if case .idle = self { true } else { false } }
    /// Whether the phase is `.loading`.
    public var isLoading: Bool { if case .loading = self { true } else { false } }
    /// Whether the phase is `.success`.
    public var isSuccess: Bool { if case .success = self { true } else { false } }
    /// Whether the phase is `.failure`.
    public var isFailure: Bool { if case .failure = self { true } else { false } }
}
