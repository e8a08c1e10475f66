import Foundation
import ImageCore
import ImageLoading
import ImageTesting
import Synchronization

/// A request in progress, in any form.
final class SimulatedRequest {
    let record: RequestRecord
    private var task: Task<Void, Never>?
    private var imageTask: ImageTask?

    /// - Parameter bug: A planted bug in the delivery of events.
    init(
        _ request: Workload.Request, of loader: ImageLoader, _ record: RequestRecord, _ token: LifetimeToken,
        _ executor: SeededExecutor, bug: PlantedBug?
    ) {
        self.record = record
        guard let imageRequest = request.imageRequest else { return }
        TaskContext.$isRequest.withValue(true) {
            switch request.form {
            case .image, .data: task = Self.load(imageRequest, request.form, of: loader, record, token, executor)
            case .handler:
                let imageTask = loader.task(for: imageRequest)
                self.imageTask = imageTask
                Self.deliver(imageTask.state, record, token, executor, bug: bug)
            case .eventSequence:
                let imageTask = loader.task(for: imageRequest)
                self.imageTask = imageTask
                task = Self.listen(to: imageTask.events, record, token, executor)
            }
        }
    }

    func cancel() {
        // A sequence of events still delivers the result of a request that has ended.
        let keepsResult = task != nil && imageTask?.hasEnded == true
        imageTask?.cancel()
        if imageTask == nil { task?.cancel() }
        if !keepsResult { record.wasCancelled() }
    }

    /// Releases an `ImageTask`, which cancels it unless a task iterates over its events.
    func release() {
        guard imageTask != nil, task == nil else { return }
        imageTask = nil
        record.wasCancelled()
    }

    func setPriority(_ priority: RequestPriority) { imageTask?.priority = priority }

    // MARK: Forms

    private static func load(
        _ request: ImageRequest, _ form: Workload.Form, of loader: ImageLoader, _ record: RequestRecord,
        _ token: LifetimeToken, _ executor: SeededExecutor
    ) -> Task<Void, Never> {
        let onProgress: @Sendable (WorkProgress) -> Void = { progress in
            token.keep()
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

    /// Delivers events as `load` does, which retains no task.
    private static func deliver(
        _ state: ImageTaskState, _ record: RequestRecord, _ token: LifetimeToken, _ executor: SeededExecutor,
        bug: PlantedBug?
    ) {
        Task(executorPreference: executor) {
            await state.deliver { event in
                token.keep()
                if bug == .deliversAfterCancellation {
                    Task(executorPreference: executor) { record.received(event) }
                } else {
                    record.received(event)
                }
                if bug == .deliversTwice, case .finished = event { record.received(event) }
            }
        }
    }

    private static func listen(
        to events: ImageTask.Events, _ record: RequestRecord, _ token: LifetimeToken, _ executor: SeededExecutor
    ) -> Task<Void, Never> {
        Task(executorPreference: executor) {
            for await event in events {
                token.keep()
                record.received(event)
            }
        }
    }
}

extension RequestRecord {
    fileprivate func ended(_ loaded: LoadedData) {
        ended(isRight: SimulatedNetwork.canReturn(loaded.data, for: image))
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

extension Workload.Request {
    /// The request. Images 0 to 2 and 3 to 5 are at different servers.
    var imageRequest: ImageRequest? {
        guard let url = URL(string: "http://\(image < 3 ? "one" : "two").example/\(image)") else { return nil }
        var request = ImageRequest(
            url: url, target: ImageTarget(PixelSize(width: size, height: size)),
            processors: isProcessed ? [SimulatedProcessor()] : [], priority: priority, cachePolicy: cachePolicy,
            mode: mode)
        request.isProgressive = isProgressive
        return request
    }
}

/// The number of existing handlers.
final class LifetimeCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
}

/// An object that a handler retains, and that counts it.
final class LifetimeToken: Sendable {
    private let count: LifetimeCount

    init(_ count: LifetimeCount) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }

    /// Does nothing. A closure that calls it retains the token.
    func keep() {}
}
