import ImageCore
import ImageLoading
import ImageTesting

/// A request on its way, in whatever form it was made.
final class SimulatedRequest {
    let record: RequestRecord
    private var task: Task<Void, Never>?
    private var imageTask: ImageTask?

    init(
        _ request: Workload.Request, of loader: ImageLoader, _ record: RequestRecord, _ token: Token,
        _ executor: SeededExecutor
    ) {
        self.record = record
        guard let imageRequest = request.imageRequest else { return }
        let onProgress: @Sendable (WorkProgress) -> Void = { progress in
            token.touch()
            record.received(progress)
        }
        switch request.form {
        case .task: imageTask = Self.follow(imageRequest, of: loader, request.picture, record, onProgress)
        case .image, .data:
            task = Task(executorPreference: executor) {
                do throws(ImageError) {
                    if request.form == .data {
                        let loaded = try await loader.data(for: imageRequest, onProgress: onProgress)
                        record.ended(isRight: SimulatedNetwork.mayAnswer(loaded.data, request.picture))
                    } else {
                        let loaded = try await loader.image(for: imageRequest, onProgress: onProgress)
                        record.ended(isRight: loaded.image.bitmap.shows(request.picture))
                    }
                } catch {
                    record.ended(error)
                }
            }
        }
    }

    private static func follow(
        _ request: ImageRequest, of loader: ImageLoader, _ picture: Int, _ record: RequestRecord,
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) -> ImageTask {
        loader.follow(request, for: record, on: .immediate) { record, event in
            switch event {
            case .progress(let progress): onProgress(progress)
            case .preview: break
            case .finished(.success(let loaded)): record.ended(isRight: loaded.image.bitmap.shows(picture))
            case .finished(.failure(let error)): record.ended(error)
            }
        }
    }

    func cancel() {
        task?.cancel()
        imageTask?.cancel()
        record.wasCancelled()
    }

    /// Lets go of an `ImageTask`, which cancels it; nobody else holds it.
    func drop() {
        guard imageTask != nil else { return }
        imageTask = nil
        record.wasCancelled()
    }

    func setPriority(_ priority: RequestPriority) { imageTask?.priority = priority }
}
