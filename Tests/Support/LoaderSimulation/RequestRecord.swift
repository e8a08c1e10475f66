import ImageCore
import Synchronization

/// One request of a simulation and what it was told. Complains at once of what must never be told.
final class RequestRecord: Sendable {
    private struct State {
        var isCancelled = false
        var hasEnded = false
        var completedBytes = 0
    }

    private let number: Int
    /// Whether a cancelled request is told nothing at all, not even that.
    private let endsSilently: Bool
    private let world: World
    private let state = Mutex(State())

    init(_ number: Int, endsSilently: Bool, world: World) {
        self.number = number
        self.endsSilently = endsSilently
        self.world = world
    }

    var isLive: Bool { state.withLock { !$0.isCancelled && !$0.hasEnded } }
    var hasEnded: Bool { state.withLock { $0.hasEnded || ($0.isCancelled && endsSilently) } }

    /// The cancellation has returned: from now on nothing may be told but that it was cancelled.
    func wasCancelled() { state.withLock { $0.isCancelled = true } }

    func received(_ progress: WorkProgress) {
        let wrong = state.withLock { state -> (Promise, String)? in
            defer { state.completedBytes = progress.completedBytes }
            if state.isCancelled { return (.lastWord, "is told of progress after it was cancelled") }
            if state.hasEnded { return (.oneEnd, "is told of progress after its end") }
            let last = state.completedBytes
            guard progress.completedBytes < last else { return nil }
            return (.forwards, "goes back from \(last) to \(progress.completedBytes) bytes")
        }
        complain(wrong)
    }

    /// - Parameter isRight: whether a picture or bytes are those that were asked for.
    func ended(isRight: Bool) {
        finish { isCancelled in
            if isCancelled { return (.lastWord, "gets an answer after it was cancelled") }
            return isRight ? nil : (.rightAnswer, "gets another picture than it asked for")
        }
    }

    func ended(_ error: ImageError) {
        finish { isCancelled in
            switch error {
            case .cancelled:
                isCancelled && !endsSilently
                    ? nil : (.lastWord, "ends as cancelled, which it was not, or has been told")
            case _ where isCancelled: (.lastWord, "gets an error after it was cancelled: \(error)")
            case .network(.other, _), .fetch, .invalidURL, .processing, .tooLarge, .invalidated:
                (.rightAnswer, "fails with what nobody simulated: \(error)")
            case .network, .httpStatus, .notFound, .decoding, .offline: nil
            }
        }
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
