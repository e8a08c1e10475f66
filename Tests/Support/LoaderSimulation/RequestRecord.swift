import ImageCore
import Synchronization

/// One request of a simulation and what it was told. Complains at once of what must never be told.
final class RequestRecord: Sendable {
    private struct State {
        var isCancelled = false
        var hasEnded = false
        var completedBytes = 0
        /// Of how many bytes the latest preview was made.
        var extent = 0

        func isTooLate(_ what: String) -> (Promise, String)? {
            if isCancelled { return (.lastWord, "is told of \(what) after it was cancelled") }
            return hasEnded ? (.oneEnd, "is told of \(what) after its end") : nil
        }
    }

    private let number: Int
    private let request: Workload.Request
    var picture: Int { request.picture }
    private let world: World
    private let state = Mutex(State())

    init(_ number: Int, _ request: Workload.Request, world: World) {
        self.number = number
        self.request = request
        self.world = world
    }

    var isLive: Bool { state.withLock { !$0.isCancelled && !$0.hasEnded } }
    var hasEnded: Bool { state.withLock { $0.hasEnded || ($0.isCancelled && endsSilently) } }

    /// Whether a cancelled request is told nothing at all, not even that.
    private var endsSilently: Bool { request.form.isTask }

    /// The cancellation has returned: from now on nothing may be told but that it was cancelled.
    func wasCancelled() { state.withLock { $0.isCancelled = true } }

    func received(_ progress: WorkProgress) {
        let wrong = state.withLock { state -> (Promise, String)? in
            defer { state.completedBytes = progress.completedBytes }
            if let wrong = state.isTooLate("progress") { return wrong }
            let last = state.completedBytes
            guard progress.completedBytes < last else { return nil }
            return (.forwards, "goes back from \(last) to \(progress.completedBytes) bytes")
        }
        complain(wrong)
        if let preview = progress.preview { received(preview.image) }
    }

    /// A preview, perhaps once more.
    func received(_ preview: DecodedImage) {
        let extent = preview.bitmap.extent
        let wrong = state.withLock { state -> (Promise, String)? in
            defer { state.extent = extent }
            if let wrong = state.isTooLate("a preview") { return wrong }
            if extent < state.extent {
                return (.forwards, "is shown a preview of \(extent) bytes after \(state.extent)")
            }
            return nil
        }
        complain(wrong)
        guard request.isProgressive, request.form != .data, preview.completeness == .preview, isRight(preview) else {
            return complain((.rightAnswer, "is shown a preview that it did not want, or a wrong one"))
        }
    }

    func ended(_ loaded: LoadedImage) {
        ended(isRight: isRight(loaded.image) && loaded.image.completeness == .complete)
    }

    /// - Parameter isRight: whether a picture or bytes are those that were asked for.
    func ended(isRight: Bool) {
        finish { isCancelled in
            if isCancelled { return (.lastWord, "gets an answer after it was cancelled") }
            return isRight ? nil : (.rightAnswer, "gets another picture than it asked for")
        }
    }

    func ended(_ error: ImageError) {
        let isInvalidated = world.isInvalidated
        finish { isCancelled in
            switch error {
            case .cancelled:
                isCancelled && !endsSilently
                    ? nil : (.lastWord, "ends as cancelled, which it was not, or has been told")
            case _ where isCancelled: (.lastWord, "gets an error after it was cancelled: \(error)")
            case .network(.other, _), .fetch, .invalidURL, .processing, .tooLarge:
                (.rightAnswer, "fails with what nobody simulated: \(error)")
            case .invalidated: isInvalidated ? nil : (.rightAnswer, "is told of an end that has not come")
            case .network, .httpStatus, .notFound, .decoding, .offline: nil
            }
        }
    }

    private func isRight(_ image: DecodedImage) -> Bool {
        image.bitmap.shows(request.picture, isProcessed: request.isProcessed)
    }

    private func finish(_ judge: (_ isCancelled: Bool) -> (Promise, String)?) {
        let (isFirst, isCancelled) = state.withLock { state in
            defer { state.hasEnded = true }
            return (!state.hasEnded, state.isCancelled)
        }
        complain(isFirst ? judge(isCancelled) : (.oneEnd, "ends twice"))
    }

    private func complain(_ wrong: (promise: Promise, detail: String)?) {
        guard let wrong else { return }
        world.complain(Violation(wrong.promise, "request \(number) \(wrong.detail)"))
    }
}
