public import ImageCore

extension ImageLoaderProtocol {
    /// Starts a request. If the image is in memory, the returned task is finished.
    public func task(for request: ImageRequest) -> ImageTask { start(ImageTask(request)) }

    /// Starts a request and passes its events to `receive` while `owner` exists.
    ///
    /// Store the task in `owner`, which is referenced weakly. When the owner and with it the task are released, the
    /// request is cancelled. If something else retains the task, the request is cancelled at the next event after the
    /// owner's release.
    ///
    /// - Parameters:
    ///   - delivery: Where `receive` is called.
    ///   - receive: Not called before this method returns, except with `.immediate`, and not after ``ImageTask/cancel()``.
    public func follow<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) -> ImageTask {
        start(ImageTask(request, EventReceiver(for: owner, on: delivery, receive: receive)))
    }

    /// Starts a request and passes its result to `completion`. Otherwise like `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        let receiver = EventReceiver(for: owner, on: delivery, wantsAll: false) { owner, event in
            if case .finished(let result) = event { completion(owner, result) }
        }
        return start(ImageTask(request, receiver))
    }

    /// Starts a request and passes its result to `completion` on the main actor. Otherwise like
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
        let (request, priority, state) = (task.request, task.livePriority, task.state)
        // The closure must not retain the `ImageTask`, whose release cancels the request.
        state.add(
            Task(executorPreference: taskExecutor) {
                do throws(ImageError) {
                    let loaded = try await self.image(for: request, priority: priority) { state.report($0) }
                    state.finish(.success(loaded))
                } catch {
                    state.finish(.failure(error))
                }
            })
        return task
    }

    /// Reports versions of lower quality as previews, with numbers below those of the image's own previews.
    private func startLowQuality(_ request: ImageRequest, _ state: ImageTaskState) {
        for (number, version) in zip(-request.lowQuality.count..<0, request.lowQuality) {
            var version = version
            version.priority = max(version.priority, request.priority)
            if let hit = cachedImage(for: version) {
                state.report(ImagePreview(hit.image, number: number))
                continue
            }
            state.add(
                Task(executorPreference: taskExecutor) { [version] in
                    do {
                        state.report(ImagePreview(try await self.image(for: version).image, number: number))
                    } catch {
                        return  // The version has sent the event of its failure, and the image itself follows.
                    }
                })
        }
    }

    /// The executor of tasks: that of the configuration, or Swift's cooperative pool if this is no `ImageLoader`.
    private var taskExecutor: (any TaskExecutor)? { (self as? ImageLoader)?.configuration.taskExecutor }
}
