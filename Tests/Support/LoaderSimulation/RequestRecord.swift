import ImageCore
import Synchronization

/// A request of a simulation and its received events. Records a violation if it receives an event that it must not.
final class RequestRecord: Sendable {
    private struct State {
        var isCancelled = false
        var hasEnded = false
        var completedByteCount = 0
        /// The number of bytes that the latest preview was made of.
        var previewByteCount = 0

        func violationIfOver(_ what: String) -> Violation? {
            if isCancelled { return Violation(.nothingAfterCancellation, "receives \(what) after it was cancelled") }
            return hasEnded ? Violation(.endsOnce, "receives \(what) after its end") : nil
        }
    }

    private let number: Int
    private let request: Workload.Request
    private let context: SimulationContext
    private let state = Mutex(State())

    init(_ number: Int, _ request: Workload.Request, _ context: SimulationContext) {
        self.number = number
        self.request = request
        self.context = context
    }

    /// The number of the requested image.
    var image: Int { request.image }
    var isLive: Bool { state.withLock { !$0.isCancelled && !$0.hasEnded } }
    var hasEnded: Bool { state.withLock { $0.hasEnded || ($0.isCancelled && endsSilently) } }

    /// Whether it receives nothing at all after a cancellation, not even `ImageError.cancelled`.
    private var endsSilently: Bool { request.form.isTask }

    /// Records that the cancellation has returned. From now on, the request may only end as cancelled.
    func wasCancelled() { state.withLock { $0.isCancelled = true } }

    // MARK: Progress

    func received(_ progress: WorkProgress) {
        record(
            state.withLock { state in
                let last = state.completedByteCount
                state.completedByteCount = progress.completedByteCount
                if let violation = state.violationIfOver("progress") { return violation }
                guard progress.completedByteCount < last else { return nil }
                return Violation(.monotonicProgress, "decreases from \(last) to \(progress.completedByteCount) bytes")
            })
        if let preview = progress.preview { received(preview.image) }
    }

    /// Receives a preview, which may be the latest one again.
    func received(_ preview: DecodedImage) {
        let byteCount = preview.bitmap.sourceByteCount
        record(
            state.withLock { state in
                let last = state.previewByteCount
                state.previewByteCount = byteCount
                if let violation = state.violationIfOver("a preview") { return violation }
                guard byteCount < last else { return nil }
                return Violation(.monotonicProgress, "receives a preview of \(byteCount) bytes after one of \(last)")
            })
        guard request.isProgressive, request.form != .data, preview.completeness == .preview, shows(preview) else {
            return record(Violation(.correctResult, "receives a preview that it did not request, or a wrong one"))
        }
    }

    // MARK: Ending

    /// Checks a final image, which must be made of all bytes.
    func ended(_ loaded: LoadedImage) {
        let isComplete =
            loaded.decoded.completeness == .complete
            && loaded.decoded.bitmap.sourceByteCount == SimulatedImage.byteCount
        ended(isRight: isComplete && shows(loaded.decoded))
    }

    /// - Parameter isRight: Whether the image or the bytes are those that were requested.
    func ended(isRight: Bool) {
        finish { isCancelled in
            if isCancelled { return Violation(.nothingAfterCancellation, "receives a result after it was cancelled") }
            return isRight ? nil : Violation(.correctResult, "receives another image than it requested")
        }
    }

    func ended(_ error: ImageError) {
        let isInvalidated = context.isInvalidated
        finish { isCancelled in
            switch error {
            case .cancelled:
                isCancelled && !endsSilently
                    ? nil : Violation(.nothingAfterCancellation, "ends as cancelled without or after a cancellation")
            case _ where isCancelled:
                Violation(.nothingAfterCancellation, "receives an error after it was cancelled: \(error)")
            case .network(let failure) where failure.kind == .other:
                Violation(.correctResult, "fails with an error that was not simulated: \(error)")
            case .fetch, .circularFetch, .modifier, .invalidURL, .invalidHeader, .processing, .tooLarge,
                .accountChanged:
                Violation(.correctResult, "fails with an error that was not simulated: \(error)")
            case .shutDown:
                isInvalidated ? nil : Violation(.correctResult, "ends as invalidated before the invalidation")
            case .network, .httpStatus, .notFound, .decoding, .offline: nil
            }
        }
    }

    private func finish(_ check: (_ isCancelled: Bool) -> Violation?) {
        let (isFirst, isCancelled) = state.withLock { state in
            defer { state.hasEnded = true }
            return (!state.hasEnded, state.isCancelled)
        }
        record(isFirst ? check(isCancelled) : Violation(.endsOnce, "ends twice"))
    }

    private func shows(_ image: DecodedImage) -> Bool {
        image.bitmap.shows(request.image, isProcessed: request.isProcessed)
    }

    private func record(_ violation: Violation?) {
        guard let violation else { return }
        context.record(Violation(violation.promise, "request \(number) \(violation.detail)"))
    }
}
