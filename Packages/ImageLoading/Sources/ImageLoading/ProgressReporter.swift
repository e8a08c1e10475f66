import ImageCore
import Synchronization

/// Tells the waiters of shared work how far it is: never less than before, each time with the latest preview, one report at a time
/// although progress and previews come from different threads.
final class ProgressReporter: Sendable {
    private struct State {
        var latest = WorkProgress(completedBytes: 0, totalBytes: nil)
        var isTelling = false
        var isNews = false
    }

    private let work: any SharedWork
    private let state = Mutex(State())

    init(_ work: any SharedWork) { self.work = work }

    /// Ignored unless there is more than before: a transfer that begins anew is told of when it comes further.
    func progressed(_ progress: WorkProgress) {
        change { latest in
            guard progress.completedBytes > latest.completedBytes else { return false }
            let preview = latest.preview
            latest = progress
            latest.preview = preview
            return true
        }
    }

    func previewed(_ image: DecodedImage) {
        change { latest in
            latest.preview = ImagePreview(image, number: (latest.preview?.number ?? -1) + 1)
            return true
        }
    }

    private func change(_ event: (inout WorkProgress) -> Bool) {
        let tells = state.withLock { state in
            guard event(&state.latest) else { return false }
            state.isNews = true
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if tells { tell() }
    }

    private func tell() {
        while let news = nextNews() { work.report(news) }
    }

    private func nextNews() -> WorkProgress? {
        state.withLock { state in
            state.isTelling = state.isNews
            state.isNews = false
            return state.isTelling ? state.latest : nil
        }
    }
}
