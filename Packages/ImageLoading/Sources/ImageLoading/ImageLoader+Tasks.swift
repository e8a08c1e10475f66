public import ImageCore

extension ImageLoader {
    /// A request on its way. A picture in memory is there at once: the task is finished when it is returned.
    public func task(for request: ImageRequest) -> ImageTask { makeTask(request, receiver: nil) }

    /// A request whose events are handed to `receive`, on an executor of choice, for as long as `owner` lives.
    ///
    /// The owner is held weakly. It keeps the task: when it goes, the task goes with it, and the work is cancelled at once. If somebody
    /// else keeps the task, a dead owner is noticed at the next event: nothing is delivered, and the work is cancelled then.
    ///
    /// - Parameter receive: never called before this has returned, but with `.immediate`; never after `cancel`.
    public func follow<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) -> ImageTask {
        makeTask(request, receiver: TaskReceiver(for: owner, on: delivery, receive: receive))
    }

    /// A request whose end is handed to `completion`; otherwise as `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        makeTask(request, receiver: TaskReceiver(for: owner, on: delivery, completion))
    }

    /// A request whose end is handed to `completion` on the main actor; otherwise as `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner,
        completion: @escaping @MainActor @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        load(request, for: owner, on: .mainActor) { owner, result in
            MainActor.assumeIsolated { completion(owner, result) }
        }
    }

    private func makeTask(_ request: ImageRequest, receiver: consuming TaskReceiver?) -> ImageTask {
        ImageTask(request, start(request, receiver))
    }

    private func start(_ request: ImageRequest, _ receiver: consuming TaskReceiver?) -> TaskCore {
        switch begin(request, id: newID(), isCancelled: false) {
        case .over(let result):
            let core = TaskCore(request, receiver)
            core.ended(result)
            return core
        case .waits(let load):
            let core = TaskCore(request, receiver, load)
            startLowQuality(of: request, core)
            core.take(join(load, as: core, request.priority))
            return core
        }
    }

    // MARK: Low quality first

    /// Shows what memory has of the lesser pictures, at once, and loads the others. They are numbered: they come before all previews of the
    /// picture itself.
    private func startLowQuality(of request: ImageRequest, _ core: TaskCore) {
        if request.lowQuality.isEmpty { return }
        let count = request.lowQuality.count
        let tasks = request.lowQuality.enumerated().compactMap { index, lesser in
            var lesser = lesser
            lesser.priority = max(lesser.priority, request.priority)
            guard let hit = cachedImage(for: lesser) else { return start(lesser, number: index - count, core) }
            core.previewed(ImagePreview(hit.image, number: index - count))
            return nil
        }
        core.take(lesser: tasks)
    }

    private func start(_ lesser: ImageRequest, number: Int, _ core: TaskCore) -> Task<Void, Never> {
        Task(executorPreference: configuration.taskExecutor) {
            // One that fails is not missed: the picture itself is on its way.
            guard let loaded = try? await self.image(for: lesser) else { return }
            core.previewed(ImagePreview(loaded.image, number: number))
        }
    }
}
