public import ImageCore

extension ImageLoader {
    /// Starts a request. If the image is in memory, the task is finished when this returns.
    public func task(for request: ImageRequest) -> ImageTask { start(ImageTask(request)) }

    /// Starts a request and passes its events to `receive` for as long as `owner` exists.
    ///
    /// The owner is held weakly, and should hold the task: when it is released, so is the task, which cancels the request. If
    /// the task is held elsewhere, the request is cancelled at its next event after the owner is gone.
    ///
    /// - Parameters:
    ///   - delivery: Where `receive` is called.
    ///   - receive: Never called before this returns, except with `.immediate`, and never after `cancel`.
    public func follow<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) -> ImageTask {
        start(ImageTask(request, EventReceiver(for: owner, on: delivery, receive: receive)))
    }

    /// Starts a request and passes its result to `completion`; otherwise like `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        let receiver = EventReceiver(for: owner, on: delivery, wantsAll: false) { owner, event in
            if case .finished(let result) = event { completion(owner, result) }
        }
        return start(ImageTask(request, receiver))
    }

    /// Starts a request and passes its result to `completion` on the main actor; otherwise like
    /// `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner,
        completion: @escaping @MainActor @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        load(request, for: owner, on: .mainActor) { owner, result in
            MainActor.assumeIsolated { completion(owner, result) }
        }
    }

    private func start(_ task: ImageTask) -> ImageTask {
        if let hit = cachedImage(for: task.request) {
            task.state.finish(.success(hit))
            return task
        }
        startLowQuality(task.request, task.state)
        let context = makeContext(for: task.request)
        run(task.state) { [priority = task.livePriority] state in
            do throws(ImageError) {
                state.finish(.success(try await self.image(for: context, priority) { state.report($0) }))
            } catch {
                state.finish(.failure(error))
            }
        }
        return task
    }

    /// Reports versions of lower quality as previews: those in memory at once, the others when they are loaded. Their
    /// numbers are below those of the image's own previews.
    private func startLowQuality(_ request: ImageRequest, _ state: ImageTaskState) {
        for (number, version) in zip(-request.lowQuality.count..<0, request.lowQuality) {
            var version = version
            version.priority = max(version.priority, request.priority)
            if let hit = cachedImage(for: version) {
                state.report(ImagePreview(hit.image, number: number))
                continue
            }
            run(state) { [version] state in
                // If it fails, the image itself follows all the same.
                guard let loaded = try? await self.image(for: version) else { return }
                state.report(ImagePreview(loaded.image, number: number))
            }
        }
    }

    /// Runs in a task that is cancelled when the state is closed. The task does not keep the `ImageTask`, which cancels it
    /// when it is released.
    private func run(_ state: ImageTaskState, _ body: @escaping @Sendable (ImageTaskState) async -> Void) {
        state.add(Task(executorPreference: configuration.taskExecutor) { await body(state) })
    }
}
