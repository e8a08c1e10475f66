import ImageCore
import Synchronization

extension ImageLoader {
    /// Registers the request if it wants previews. Shared operations make previews while there is such a request.
    func subscribeToPreviews(of context: RequestContext) {
        guard context.request.isProgressive else { return }
        previewSubscriptions.withLock { counts in
            for key in context.previewKeys { counts[key, default: 0] += 1 }
        }
    }

    func unsubscribeFromPreviews(of context: RequestContext) {
        guard context.request.isProgressive else { return }
        previewSubscriptions.withLock { counts in
            for key in context.previewKeys { counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
    }

    func wantsPreviews(of key: ImageCacheKey) -> Bool { previewSubscriptions.withLock { $0[key] != nil } }

    /// Decodes previews of the bytes that arrive in one download.
    func previewQueue(for session: PreviewSession, _ shared: any SharedOperation) -> PreviewQueue<ReceivedBytes> {
        PreviewQueue(self, priority: shared.priority) { bytes, isCancelled in
            let preview = await session.preview(of: bytes, at: self.uptime(), isCancelled: isCancelled)
            if let preview, !isCancelled() { shared.report(preview) }
        }
    }

    /// Passes the bytes that have arrived to a preview decoder if a caller wants previews.
    func offerBytes(for context: RequestContext, to previews: PreviewQueue<ReceivedBytes>) {
        guard wantsPreviews(of: context.key), let bytes = incoming.withLock({ $0[context.originalKey] }) else { return }
        previews.offer(bytes, number: bytes.count)
    }

    /// Applies the request's processors to previews of the decoded image.
    func previewProcessor(for context: RequestContext, _ shared: any SharedOperation) -> PreviewQueue<ImagePreview> {
        PreviewQueue(self, priority: shared.priority) { preview, isCancelled in
            guard self.wantsPreviews(of: context.key) else { return }
            // A processor that fails on a preview may succeed on the final image.
            let processors = context.request.processors
            guard let image = try? preview.image.processed(by: processors, isCancelled: isCancelled) else { return }
            if !isCancelled() { shared.report(ImagePreview(image, number: preview.number)) }
        }
    }
}

extension RequestContext {
    /// The keys of the images that need previews for this request: its own, and the one before its processors.
    fileprivate var previewKeys: [ImageCacheKey] {
        if request.processors.isEmpty { return [key] }
        var unprocessed = request
        unprocessed.processors = []
        return [key, unprocessed.cacheKey(of: key.identifier, account: key.account)]
    }
}

extension SharedOperation {
    func report(_ preview: ImagePreview) {
        report(WorkProgress(completedByteCount: 0, totalByteCount: nil, preview: preview))
    }
}

/// Handles inputs in the decode lane, one at a time. A new input replaces the waiting one.
final class PreviewQueue<Input: Sendable>: Sendable {
    private struct State: Sendable {
        var lastNumber = Int.min
        /// Nil until the first input: most downloads have no previews.
        var inputs: AsyncStream<Input>.Continuation?
        var isFinished = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let loader: ImageLoader
    private let priority: LivePriority
    private let handle: @Sendable (Input, _ isCancelled: @escaping @Sendable () -> Bool) async -> Void

    init(
        _ loader: ImageLoader, priority: LivePriority,
        handle: @escaping @Sendable (Input, _ isCancelled: @escaping @Sendable () -> Bool) async -> Void
    ) {
        self.loader = loader
        self.priority = priority
        self.handle = handle
    }

    /// - Parameter number: The input is ignored unless this number exceeds all previous ones.
    func offer(_ input: Input, number: Int) {
        let (inputs, new) = state.withLock { state -> (AsyncStream<Input>.Continuation?, AsyncStream<Input>?) in
            guard number > state.lastNumber, !state.isFinished else { return (nil, nil) }
            state.lastNumber = number
            if let inputs = state.inputs { return (inputs, nil) }
            let (stream, inputs) = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingNewest(1))
            state.inputs = inputs
            return (inputs, stream)
        }
        inputs?.yield(input)
        if let new { start(new) }
    }

    /// Cancels the waiting and the running input. Later inputs are ignored.
    func finish() {
        let task = state.withLock { state in
            state.isFinished = true
            return state.task
        }
        task?.cancel()
    }

    private func start(_ inputs: AsyncStream<Input>) {
        let task = Task.detached(executorPreference: loader.configuration.taskExecutor) {
            for await input in inputs { await self.run(input) }
        }
        let isFinished = state.withLock { state in
            state.task = task
            return state.isFinished
        }
        if isFinished { task.cancel() }
    }

    private func run(_ input: Input) async {
        // Errors are ignored, because the final image follows.
        try? await loader.configuration.scheduler.run(in: .decode, server: nil, priority: priority) {
            await self.handle(input) { self.state.withLock { $0.isFinished } }
        }
    }
}

/// A decoding session, and the number of bytes passed to it.
actor PreviewSession {
    private let loader: ImageLoader
    private let request: DecodingRequest
    private var session: (any DecodingSession)?
    private var received: ReceivedBytes?
    private var passedByteCount = 0
    private var previewCount = 0

    init(_ context: RequestContext) {
        loader = context.loader
        request = context.request.decoding
    }

    /// Prepares for other bytes of the same image. The numbers of its previews continue.
    func restart() { receive(nil) }

    /// Returns a preview of all bytes received so far, or nil if there is nothing new to show or decoding fails.
    ///
    /// A restarted download gives no previews until it has more bytes than before. Then a new session receives them.
    func preview(
        of received: ReceivedBytes, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) -> ImagePreview? {
        guard received.count > passedByteCount else { return nil }
        if self.received !== received { receive(received) }
        let bytes = received.bytes(from: passedByteCount)
        passedByteCount += bytes.count
        session = session ?? makeSession(loader.configuration)
        guard let image = try? session?.append(bytes, at: elapsed, isCancelled: isCancelled) else { return nil }
        defer { previewCount += 1 }
        return ImagePreview(image, number: previewCount)
    }

    private func makeSession(_ configuration: ImageLoaderParts) -> (any DecodingSession)? {
        configuration.decoder.makeSession(request: request, throttle: configuration.previewThrottle)
    }

    private func receive(_ received: ReceivedBytes?) {
        self.received = received
        passedByteCount = 0
        session = nil
    }
}
