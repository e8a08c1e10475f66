import ImageCore
import ImageLoading
import ImageTesting

/// A request on its way, in whatever form it was made.
final class SimulatedRequest {
    let record: RequestRecord
    private var task: Task<Void, Never>?
    private var imageTask: ImageTask?

    /// - Parameter deliversLate: whether events go to handlers elsewhere one by one, a planted mistake.
    init(
        _ request: Workload.Request, of loader: ImageLoader, _ record: RequestRecord, _ token: Token,
        _ executor: SeededExecutor, deliversLate: Bool
    ) {
        self.record = record
        guard let imageRequest = request.imageRequest else { return }
        Surroundings.$isRequest.withValue(true) {
            switch request.form {
            case .image, .data: task = Self.ask(imageRequest, request.form, of: loader, record, token, executor)
            case .task: imageTask = Self.follow(imageRequest, of: loader, record, token, on: .immediate)
            case .taskElsewhere:
                imageTask =
                    deliversLate
                    ? Self.followLate(imageRequest, of: loader, record, token, executor)
                    : Self.follow(
                        imageRequest, of: loader, record, token,
                        on: Delivery { body in Task(executorPreference: executor) { body() } })
            case .listened:
                let imageTask = loader.task(for: imageRequest)
                self.imageTask = imageTask
                let events = imageTask.events
                task = Task(executorPreference: executor) {
                    for await event in events {
                        token.touch()
                        record.received(event)
                    }
                }
            }
        }
    }

    private static func ask(
        _ request: ImageRequest, _ form: Workload.Form, of loader: ImageLoader, _ record: RequestRecord, _ token: Token,
        _ executor: SeededExecutor
    ) -> Task<Void, Never> {
        let onProgress: @Sendable (WorkProgress) -> Void = { progress in
            token.touch()
            record.received(progress)
        }
        return Task(executorPreference: executor) {
            do throws(ImageError) {
                if form == .data {
                    record.ended(try await loader.data(for: request, onProgress: onProgress))
                } else {
                    record.ended(try await loader.image(for: request, onProgress: onProgress))
                }
            } catch {
                record.ended(error)
            }
        }
    }

    private static func follow(
        _ request: ImageRequest, of loader: ImageLoader, _ record: RequestRecord, _ token: Token, on delivery: Delivery
    ) -> ImageTask {
        loader.follow(request, for: record, on: delivery) { record, event in
            token.touch()
            record.received(event)
        }
    }

    /// As if nobody looked whether an event is wanted still when it comes to where handlers are called.
    private static func followLate(
        _ request: ImageRequest, of loader: ImageLoader, _ record: RequestRecord, _ token: Token,
        _ executor: SeededExecutor
    ) -> ImageTask {
        loader.follow(request, for: record, on: .immediate) { record, event in
            token.touch()
            Task(executorPreference: executor) { record.received(event) }
        }
    }

    func cancel() {
        imageTask?.cancel()
        if imageTask == nil { task?.cancel() }
        record.wasCancelled()
    }

    /// Lets go of an `ImageTask`, which cancels it; nobody else holds it, but who listens.
    func drop() {
        guard imageTask != nil, task == nil else { return }
        imageTask = nil
        record.wasCancelled()
    }

    func setPriority(_ priority: RequestPriority) { imageTask?.priority = priority }
}

extension RequestRecord {
    fileprivate func ended(_ loaded: LoadedData) {
        ended(isRight: SimulatedNetwork.mayAnswer(loaded.data, picture))
    }

    fileprivate func received(_ event: ImageTask.Event) {
        switch event {
        case .progress(let progress): received(progress)
        case .preview(let image): received(image)
        case .finished(.success(let loaded)): ended(loaded)
        case .finished(.failure(let error)): ended(error)
        }
    }
}
