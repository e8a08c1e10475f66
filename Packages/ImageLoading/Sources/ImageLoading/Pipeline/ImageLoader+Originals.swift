import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Returns the encoded original from the request, the disk cache or the network. Its download has the priority of the
    /// images that need it, while it waits in the gate and in the lane.
    func originalData(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> DataJobResult {
        let result = try await configuration.dataCoalescer.value(
            for: context.dataKey, priority: priority, onProgress: onProgress
        ) { shared in
            if case .data(let data, _) = context.request.origin {
                return context.makeResult(LoadedData(data: try self.checkSize(of: data), source: .disk))
            }
            if let stored = try await self.storedOriginal(context) { return context.makeResult(stored) }
            let result = try await self.download(for: context, shared)
            if case .fetch = context.request.origin { await self.storeFetchedOriginal(result, context) }
            return result
        }
        context.sendJoined(result.requestID, result.loaded.source, bytes: result.loaded.data.count)
        return result
    }

    /// Returns the stored original if it can be used without the network. Needs no slot in the download lane. Throws a
    /// stored error: the transport also stores responses such as 404, for as long as they are fresh.
    private func storedOriginal(_ context: RequestContext) async throws -> LoadedData? {
        guard let url = context.request.origin.url else {
            guard let data = await fetchedOriginal(context) else { return nil }
            return LoadedData(data: try checkSize(of: data), source: .disk)
        }
        if context.original.isLocal { return nil }
        guard let cache = configuration.responseCache, context.route.readsDisk else {
            context.send(.diskMiss(configuration.responseCache == nil ? .noCache : .policy))
            return nil
        }
        return try await storedResponse(url, cache, context)
    }

    private func storedResponse(
        _ url: URL, _ cache: any ResponseCache, _ context: RequestContext
    ) async throws -> LoadedData? {
        do {
            let request = try TransportRequest(url, context, configuration.transferLimits)
            let response = try await cache.storedResponse(to: request, acceptsStale: context.route.isCacheOnly)
            if let error = response.head.error {
                context.send(.diskHit(bytes: 0))
                response.body.discard()
                throw error
            }
            let data = try await collect(response)
            return recordLoad(of: data, from: response.source, context)
        } catch let miss as CacheMiss {
            context.send(.diskMiss(miss))
        } catch TransportFailure.closedEarly {
            context.send(.diskMiss(.missingBytes))
        }
        return nil
    }

    /// Returns whether the original, or an error response for it, is stored. Reads no body and sends no events.
    func hasStored(_ request: ImageRequest) async -> Bool {
        let route = FetchRoute(request)
        guard route.readsDisk else { return false }
        if case .fetch = request.origin { return await hasFetchedOriginal(request) }
        guard let url = request.url, let cache = configuration.responseCache else { return false }
        do {
            let transfer = try TransportRequest(url, request.headers, route, configuration.transferLimits)
            try await cache.storedResponse(to: transfer, acceptsStale: route.isCacheOnly).body.discard()
            return true
        } catch {
            return false  // a miss, or a header that no request can have
        }
    }

    /// Removes undecodable bytes from the disk cache.
    func removeStoredOriginal(for context: RequestContext) async throws(ImageError) {
        if case .fetch = context.request.origin { await removeFetchedOriginal(context) }
        guard let url = context.request.url, let cache = configuration.responseCache else { return }
        await cache.removeStoredResponses(to: try TransportRequest(url, context, configuration.transferLimits))
    }

    func checkSize(of data: Data) throws(ImageError) -> Data {
        let limit = configuration.transferLimits.maxBodyBytes
        guard data.count <= limit else { throw .tooLarge(allowedBytes: limit) }
        return data
    }

    /// Sends the event for the source of the bytes, and returns both.
    private func recordLoad(of data: Data, from source: ResponseSource, _ context: RequestContext) -> LoadedData {
        let (event, source): (ImageLoadEvent.Kind, ImageSource) =
            switch source {
            case .network: (.downloadFinished(bytes: data.count), .network)
            case .validated: (.validated(bytes: data.count), .validated)
            case .cache: (.diskHit(bytes: data.count), .disk)
            case .stale: (.staleHit(bytes: data.count), .stale)
            }
        context.send(event)
        return LoadedData(data: data, source: source)
    }

    /// Collects a body in `received`, which others can read in the meantime.
    func collect(
        _ response: TransportResponse, into received: ReceivedBytes = ReceivedBytes(),
        onProgress: (WorkProgress) -> Void = { _ in }
    ) async throws(TransportFailure) -> Data {
        let (total, limit) = (response.head.expectedBytes, configuration.transferLimits.maxBodyBytes)
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await pieces.next(isolation: nil) {
            guard received.count + piece.count <= limit else { throw .tooLarge(allowedBytes: limit) }
            received.append(piece, expectedBytes: total)
            onProgress(WorkProgress(completedBytes: received.count, totalBytes: total))
        }
        return received.all
    }

    /// Downloads the original and retries transient failures. Frees its slot in the lane while it waits.
    private func download(for context: RequestContext, _ shared: any SharedOperation) async throws -> DataJobResult {
        if context.route.isCacheOnly { throw ImageError.offline }
        var retries = Retries()
        while true {
            if let loaded = try await makeAttempt(for: context, shared, &retries) {
                return finishDownload(loaded, for: context)
            }
        }
    }

    /// Returns the result of a download. New bytes of a request that had to ask the origin start a new generation.
    private func finishDownload(_ loaded: LoadedData, for context: RequestContext) -> DataJobResult {
        let isReload = context.route.mode.asksOrigin && loaded.source == .network
        let generation = isReload ? reloads.withLock { $0.markReloaded(context.original) } : nil
        let source = context.original.isLocal ? .disk : loaded.source
        return context.makeResult(LoadedData(data: loaded.data, source: source), generation: generation)
    }

    /// Makes one attempt, when conditions allow it and it has a slot. Returns nil after the wait before a retry.
    private func makeAttempt(
        for context: RequestContext, _ shared: any SharedOperation, _ retries: inout Retries
    ) async throws -> LoadedData? {
        let (gate, priority, isRetry) = (gate(for: context), shared.priority, retries.hasFailed)
        do {
            try await gate?.waitUntilOpen(priority) { context.send(.deferred) }
            return try await runInLane(of: context, priority) {
                guard let gate else { return try await self.makeAdmittedAttempt(for: context, shared, isRetry) }
                return try await gate.run(priority) {
                    try await self.makeAdmittedAttempt(for: context, shared, isRetry)
                }
            }
        } catch let failure as AttemptFailure {
            try await prepareRetry(for: context, priority, after: failure, &retries)
            return nil
        }
    }

    /// Runs an attempt when the lane of its origin has a slot. Other work doesn't wait for the network: a `data:` URL
    /// has no lane, nor has a fetch of the application, which could wait for another slot while it holds one.
    private func runInLane(
        of context: RequestContext, _ priority: LivePriority, _ attempt: @Sendable () async throws -> LoadedData
    ) async throws -> LoadedData {
        guard let lane = context.request.origin.lane else { return try await attempt() }
        context.send(.queued(lane))
        return try await configuration.scheduler.run(in: lane, host: context.host, priority: priority, attempt)
    }

    /// Makes an attempt that conditions allow and that has a slot.
    private func makeAdmittedAttempt(
        for context: RequestContext, _ shared: any SharedOperation, _ isRetry: Bool
    ) async throws(AttemptFailure) -> LoadedData {
        let start = retryController.uptime()
        context.send(.downloadStarted)
        do {
            let loaded =
                switch context.request.origin {
                case .url(let url): try await transfer(url, context, shared, isRetry)
                case .fetch(_, let fetch): try await bytes(of: fetch, context)
                case .data(let data, _): LoadedData(data: data, source: .disk)  // needs no download
                }
            // A stale response is what the cache returns after a failure.
            if loaded.source != .stale { retryController.succeeded(context.request.retryBudget) }
            return loaded
        } catch {
            var failure = error as? AttemptFailure ?? AttemptFailure(error: ImageError(error))
            failure.start = start
            throw failure
        }
    }

    /// Returns the gate, or nil for originals that need no network.
    private func gate(for context: RequestContext) -> DownloadGate? { context.original.isLocal ? nil : gate }

    /// Waits for the network, for a delay, or not at all after an interruption. Throws if it should not be retried.
    private func prepareRetry(
        for context: RequestContext, _ priority: LivePriority, after failure: AttemptFailure, _ retries: inout Retries
    ) async throws {
        if failure.isInterrupted { return }
        retries.hasFailed = true
        if let gate = gate(for: context), gate.isOffline, failure.error.mayBeCausedByNetwork,
            try await gate.waitForNetwork(priority, onWait: { context.send(.waitingForNetwork) })
        {
            retries = Retries(hasFailed: true)
            return
        }
        retries.start = retries.start ?? failure.start
        guard let delay = retryController.delay(after: failure, retries, context.request.retryBudget) else {
            throw failure.error
        }
        retries.count += 1
        try await configuration.clock.sleep(for: delay)
    }

    /// Calls the closure of `ImageOrigin.fetch`. An `ImageError` is handled like that of a transport.
    private func bytes(
        of fetch: @Sendable () async throws -> Data, _ context: RequestContext
    ) async throws(ImageError) -> LoadedData {
        let data: Data
        do {
            data = try await RunningFetch.run(context.original, for: self, fetch)
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            throw Task.isCancelled ? .cancelled : .fetch("it threw CancellationError without being cancelled")
        } catch {
            throw .fetch("\(error)")
        }
        return recordLoad(of: try checkSize(of: data), from: .network, context)
    }

    /// Sends one request and receives its body. A retry asks the origin, whatever the cache has stored of the failure.
    private func transfer(
        _ url: URL, _ context: RequestContext, _ shared: any SharedOperation, _ isRetry: Bool
    ) async throws -> LoadedData {
        var request = try TransportRequest(url, context, configuration.transferLimits)
        request.cacheUse = context.route.cacheUse(isRetry: isRetry)
        let response = try await configuration.transport.send(request)
        if let error = response.head.error {
            response.body.discard()
            throw AttemptFailure(error: error, retryAfter: response.head.retryAfter)
        }
        let received = ReceivedBytes()
        incoming.withLock { $0[context.dataKey] = received }
        // A later download may have replaced this one.
        defer { incoming.withLock { if $0[context.dataKey] === received { $0[context.dataKey] = nil } } }
        let data = try await collect(response, into: received) { progress in
            context.send(.received(bytes: progress.completedBytes, of: progress.totalBytes))
            shared.report(progress)
        }
        return recordLoad(of: data, from: response.source, context)
    }
}

/// The received bytes of a transfer in progress.
final class ReceivedBytes: Sendable {
    private let data = Mutex(Data())

    var count: Int { data.withLock { $0.count } }

    var all: Data { data.withLock { $0 } }

    /// Returns a copy of the bytes from `offset` on.
    func bytes(from offset: Int) -> Data {
        data.withLock { Data($0[($0.startIndex + min(offset, $0.count))...]) }
    }

    /// - Parameter expectedBytes: The announced length, if any. At most 16 MiB are reserved.
    func append(_ piece: Data, expectedBytes: Int?) {
        data.withLock { data in
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(min(max(0, expectedBytes ?? 0), 16 << 20))
                data.append(piece)
            }
        }
    }
}

extension ImageOrigin {
    /// The lane in which the original is loaded; nil for none.
    fileprivate var lane: WorkLane? {
        guard let url else { return nil }
        if !isLocal { return .download }
        return url.scheme?.lowercased() == "file" ? .file : nil
    }
}

extension URL {
    /// Throws `.invalidURL` for a URL that no transport can load.
    func checkIsLoadable() throws(ImageError) {
        guard let scheme = scheme?.lowercased() else { throw .invalidURL(absoluteString) }
        if scheme == "http" || scheme == "https", host()?.isEmpty ?? true { throw .invalidURL(absoluteString) }
    }
}

extension TransportRequest {
    init(_ url: URL, _ context: RequestContext, _ limits: TransferLimits) throws(ImageError) {
        try self.init(url, context.request.headers, context.route, limits)
    }

    init(
        _ url: URL, _ headers: [String: String], _ route: FetchRoute, _ limits: TransferLimits
    ) throws(ImageError) {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { throw .invalidURL("no header can be named \"\(name)\"") }
            fields.append(HTTPField(name: name, value: value))
        }
        // Intermediate caches must validate with the origin, too.
        if route.mode == .reload || route.mode == .revalidate, !fields.contains(.cacheControl) {
            fields[.cacheControl] = "no-cache"
        }
        self.init(
            url: url, headers: fields, connectTimeout: limits.connectTimeout, stallTimeout: limits.stallTimeout,
            totalTimeout: limits.totalTimeout, maxBodyBytes: limits.maxBodyBytes, maxRedirects: limits.maxRedirects)
    }
}
