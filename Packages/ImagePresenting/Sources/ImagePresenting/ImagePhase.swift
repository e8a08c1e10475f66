public import ImageCore

/// How far a view is with its image.
///
/// A value; `apply(_:)` is all that changes it, and lets nothing happen that has no place in the present phase.
public enum ImagePhase: Sendable {
    /// No image is asked for, or it is not asked for yet.
    case idle
    /// On its way. The progress is nil until the first bytes have come.
    case loading(WorkProgress?)
    /// There, and from where.
    case success(ImageSource)
    case failure(ImageError)

    /// What may happen to a view's image.
    public enum Event: Sendable {
        /// Another image is wanted. Legal in every phase.
        case begin
        /// More of it has come. Legal while loading.
        case progress(WorkProgress)
        /// It is there. Legal while loading.
        case succeed(ImageSource)
        /// It will not come. Legal while loading. A cancellation is no failure, and leads to `.idle`.
        case fail(ImageError)
        /// The same image is to be tried once more. Legal after a failure alone.
        case retry
        /// None is wanted any more. Legal in every phase but `.idle`.
        case clear
    }

    /// The phase after an event; nil when the event is not legal in this one.
    public func after(_ event: Event) -> ImagePhase? {
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

    /// Goes on to the phase after an event. False, and nothing is changed, when the event is not legal in this one.
    @discardableResult
    public mutating func apply(_ event: Event) -> Bool {
        guard let next = after(event) else { return false }
        self = next
        return true
    }

    public var isIdle: Bool { if case .idle = self { true } else { false } }
    public var isLoading: Bool { if case .loading = self { true } else { false } }
    public var isSuccess: Bool { if case .success = self { true } else { false } }
    public var isFailure: Bool { if case .failure = self { true } else { false } }
}
