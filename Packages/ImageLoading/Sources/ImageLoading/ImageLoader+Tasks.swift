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
        let receiver = TaskCore.Receiver(delivery: delivery) { [weak owner] in
            owner != nil
        } receive: { [weak owner] event in
            if let owner { receive(owner, event) }
        }
        return makeTask(request, receiver: receiver)
    }

    /// A request whose end is handed to `completion`; otherwise as `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner, on delivery: Delivery,
        completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        follow(request, for: owner, on: delivery) { owner, event in
            if case .finished(let result) = event { completion(owner, result) }
        }
    }

    /// A request whose end is handed to `completion` on the main actor; otherwise as `follow(_:for:on:receive:)`.
    public func load<Owner: AnyObject & Sendable>(
        _ request: ImageRequest, for owner: Owner,
        completion: @escaping @MainActor @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        follow(request, for: owner, on: .mainActor) { owner, event in
            guard case .finished(let result) = event else { return }
            MainActor.assumeIsolated { completion(owner, result) }
        }
    }

    private func makeTask(_ request: ImageRequest, receiver: TaskCore.Receiver?) -> ImageTask {
        let core = TaskCore(priority: request.priority, receiver: receiver)
        if let hit = cachedImage(for: request) {
            core.ended(.success(hit))
        } else {
            start(request, core)
        }
        return ImageTask(request, core)
    }

    private func start(_ request: ImageRequest, _ core: TaskCore) {
        let showsPreview = request.isProgressive
        let waiting = Waiting(id: WaiterID(rawValue: newID()), onJoin: { core.applyPriority() }) {
            core.progressed($0, showsPreview: showsPreview)
        }
        let coalescer = configuration.imageCoalescer
        let lesser = missingLowQuality(of: request, core)
        core.start(on: configuration.taskExecutor) {
            let lesser = self.startLowQuality(lesser, core)
            defer { for task in lesser { task.cancel() } }
            do throws(ImageError) {
                core.ended(.success(try await self.image(for: request, waiting)))
            } catch {
                core.ended(.failure(error))
            }
        } prioritise: {
            coalescer.setPriority($0, of: waiting.id)
        }
    }

    // MARK: Low quality first

    /// Shows what memory has of the lesser pictures, at once. Returns those that are to be loaded, numbered: they come before all
    /// previews of the picture itself.
    private func missingLowQuality(of request: ImageRequest, _ core: TaskCore) -> [(number: Int, ImageRequest)] {
        let count = request.lowQuality.count
        return request.lowQuality.enumerated().compactMap { index, lesser in
            var lesser = lesser
            lesser.priority = max(lesser.priority, request.priority)
            guard let hit = cachedImage(for: lesser) else { return (index - count, lesser) }
            core.previewed(ImagePreview(hit.image, number: index - count))
            return nil
        }
    }

    private func startLowQuality(_ requests: [(number: Int, ImageRequest)], _ core: TaskCore) -> [Task<Void, Never>] {
        requests.map { number, request in
            Task(executorPreference: configuration.taskExecutor) {
                // One that fails is not missed: the picture itself is on its way.
                guard let loaded = try? await self.image(for: request) else { return }
                core.previewed(ImagePreview(loaded.image, number: number))
            }
        }
    }
}
