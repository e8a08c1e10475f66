public import ImageCore

extension ImageLoaderProtocol {
    /// Starts a request. If the image is in memory, the returned task is finished.
    public func task(for request: ImageRequest) -> ImageTask {
        let task = ImageTask(request)
        if let hit = cachedImage(for: request) {
            task.state.finish(.success(hit))
        } else {
            start(task) { state, priority throws(ImageError) in
                try await self.image(for: request, following: priority) { state.report($0) }
            }
        }
        return task
    }

    /// Starts a request for an image that is not in memory, and for its frames if it is animated: see
    /// `ImageTaskState.frames`.
    package func animationTask(for request: ImageRequest) -> ImageTask {
        let task = ImageTask(request)
        start(task) { state, priority throws(ImageError) in
            let animation = try await self.animation(for: request, following: priority) { state.report($0) }
            state.setFrames(animation.frames)
            return animation.firstFrame
        }
        return task
    }

    /// Starts a request and passes its result to `completion` on the main actor.
    ///
    /// The request runs until it ends. Keep the task only to cancel it or to change its priority.
    ///
    /// - Parameters:
    ///   - request: The request for the image.
    ///   - completion: Called once, after this method has returned. Not called after ``ImageTask/cancel()`` on the main
    ///     actor.
    @discardableResult
    public func load(
        _ request: ImageRequest, completion: @escaping @MainActor (Result<LoadedImage, ImageError>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        Task { @MainActor in
            await task.state.deliver(onlyResult: true) { event in
                if case .finished(let result) = event { completion(result) }
            }
            withExtendedLifetime(task) {}  // its release would cancel the request
        }
        return task
    }

    private func start(
        _ task: ImageTask,
        _ load: @escaping @Sendable (ImageTaskState, LivePriority) async throws(ImageError) -> LoadedImage
    ) {
        startLowQuality(task.request, task.state)
        // The closure must not retain the `ImageTask`, whose release cancels the request.
        let (priority, state) = (task.livePriority, task.state)
        state.add(
            Task(executorPreference: taskExecutor) {
                do throws(ImageError) {
                    state.finish(.success(try await load(state, priority)))
                } catch {
                    state.finish(.failure(error))
                }
            })
    }

    /// Reports versions of lower quality as previews, with numbers below those of the image's own previews.
    private func startLowQuality(_ request: ImageRequest, _ state: ImageTaskState) {
        for (number, version) in zip(-request.lowQuality.count..<0, request.lowQuality) {
            var version = version
            version.priority = max(version.priority, request.priority)
            if let hit = cachedImage(for: version) {
                state.report(ImagePreview(hit.decoded, number: number))
                continue
            }
            state.add(
                Task(executorPreference: taskExecutor) { [version] in
                    do {
                        state.report(ImagePreview(try await self.image(for: version).decoded, number: number))
                    } catch {
                        return  // The version has sent the event of its failure, and the image itself follows.
                    }
                })
        }
    }

    /// The executor of tasks: that of the configuration, or Swift's cooperative pool if this is no `ImageLoader`.
    private var taskExecutor: (any TaskExecutor)? { (self as? ImageLoader)?.configuration.taskExecutor }
}
