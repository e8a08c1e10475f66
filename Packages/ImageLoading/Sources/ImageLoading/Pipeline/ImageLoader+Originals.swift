import ImageCore
import ImageTransporting
import Synchronization

extension ImageLoader {
    /// Returns the encoded original from the request, the disk cache or the network. Its download has the priority of the
    /// images that need it, while it waits in the gate and in the lane.
    func originalData(
        for context: RequestContext, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> OriginalResult {
        let result = try await shared(context.originalKey, priority, onProgress) { shared in
            if case .data(let data, _) = context.request.origin {
                let loaded = LoadedData(data: try self.checkSize(of: data), source: .local)
                return context.makeResult(loaded, context.newestStart)
            }
            let lookup = try await self.askDisk(for: context, shared, context.cacheUse)
            return try await self.loadOriginal(lookup, for: context, shared)
        }
        context.sendJoined(result.requestID, result.loaded.source, bytes: result.loaded.data.count)
        return result
    }

    private enum DiskLookup {
        case loaded(OriginalResult)
        case exchange(CacheAnswer.Send)
    }

    /// Asks the disk cache for the stored original, or for the exchange to start when there is a slot. Throws a stored
    /// error: the transport also stores responses such as 404, for as long as they are fresh.
    ///
    /// It holds no slot, because the application may change the request.
    private func askDisk(
        for context: RequestContext, _ shared: any SharedOperation, _ cacheUse: CacheUse, isRepeated: Bool = false
    ) async throws -> DiskLookup {
        let request = try TransportRequest(context, cacheUse, following: shared.priority)
        let newestStart = context.newestStart
        switch try await transport.answer(to: request) {
        case .stored(let response):
            if let result = try await collectStored(response, newestStart, context) { return .loaded(result) }
            let cacheUse = context.cacheUse.access.writes ? CacheUse(.reload) : .none
            return try await askDisk(for: context, shared, cacheUse, isRepeated: true)
        case .exchange(let miss, let start):
            try context.checkAccount()
            if miss == .absent, !isRepeated, let larger = await storedLargerVariant(for: context, cacheUse) {
                return .loaded(larger)
            }
            if !context.original.isLocal, !isRepeated {
                context.send(.diskMiss(context.cacheUse.answersAlone || miss == .noCache ? miss : .policy))
            }
            return .exchange(start)
        }
    }

    /// Returns nil if bytes are missing on disk.
    private func collectStored(
        _ response: TransportResponse, _ start: UInt64, _ context: RequestContext
    ) async throws -> OriginalResult? {
        if let error = response.head.error {
            context.send(.diskHit(bytes: 0))
            response.body.discard()
            throw error
        }
        do {
            let data = try await collect(response)
            return recordLoad(of: data, in: response, start, isStored: true, context)
        } catch TransportError.closedEarly {
            context.send(.diskMiss(.missingBytes))
            return nil
        }
    }

    /// Returns whether the original, or an error response for it, is stored. Reads no body and sends no events.
    func hasStored(_ request: ImageRequest) async -> Bool {
        guard CacheUse(request).answersAlone else { return false }
        do {
            let request = chosen(request)
            var lookup = try TransportRequest(request, original(of: request), self)
            lookup.cacheUse = CacheUse(access: .readOnly)
            guard case .stored(let response) = try await transport.answer(to: lookup) else {
                return false
            }
            response.body.discard()
            return true
        } catch {
            return false  // a header that no request can have, or a response that is too large
        }
    }

    /// Removes undecodable bytes from the disk cache.
    func removeStoredOriginal(for context: RequestContext) async throws(ImageError) {
        guard !context.original.isLocal else { return }
        await transport.removeStoredResponses(to: try TransportRequest(context))
    }

    func checkSize(of data: Data) throws(ImageError) -> Data {
        let limit = configuration.transferOptions.bodyByteLimit
        guard data.count <= limit else { throw .tooLarge(byteLimit: limit) }
        return data
    }

    /// Sends the event for the source of the bytes, and returns both.
    ///
    /// - Parameter response: The response that has delivered the bytes; nil for those of a fetch.
    func recordLoad(
        of data: Data, in response: TransportResponse?, _ start: UInt64, isStored: Bool, _ context: RequestContext
    ) -> OriginalResult {
        let (event, source): (ImageLoadEvent.Kind, ImageSource) =
            switch response?.source ?? .network {
            case .network: (.downloadFinished(bytes: data.count), .network)
            case .validated: (.validated(bytes: data.count), .validated)
            case .cache: (.diskHit(bytes: data.count), .disk)
            case .stale: (.staleHit(bytes: data.count), .stale)
            }
        context.send(event)
        let heads = response.map { $0.redirects + [$0.head] } ?? []
        return context.makeResult(LoadedData(data: data, source: source), start, isStored: isStored, heads)
    }

    /// Collects a body in `received`, which others can read in the meantime.
    func collect(
        _ response: TransportResponse, into received: ReceivedBytes = ReceivedBytes(),
        onProgress: (WorkProgress) -> Void = { _ in }
    ) async throws(TransportError) -> Data {
        let (total, limit) = (response.head.expectedByteCount, configuration.transferOptions.bodyByteLimit)
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await pieces.next(isolation: nil) {
            guard received.count + piece.count <= limit else { throw .tooLarge(byteLimit: limit) }
            received.append(piece, expectedByteCount: total)
            onProgress(WorkProgress(completedByteCount: received.count, totalByteCount: total))
        }
        return received.all
    }

    /// Returns what is on disk, or downloads it and retries transient failures. Frees its slot in the lane while it waits.
    private func loadOriginal(
        _ lookup: DiskLookup, for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> OriginalResult {
        var (lookup, retries) = (lookup, Retries())
        while true {
            switch lookup {
            case .loaded(let result): return result
            case .exchange(let start):
                if context.cacheUse.isCacheOnly { throw ImageError.offline }
                do {
                    return try await finishDownload(try await makeAttempt(start, for: context, shared), context)
                } catch let failure as AttemptFailure {
                    lookup = try await prepareRetry(for: context, shared, after: failure, &retries)
                }
            }
        }
    }

    /// Returns the exchange of the next attempt, or what is on disk meanwhile. Throws if it should not be retried.
    private func prepareRetry(
        for context: RequestContext, _ shared: any SharedOperation, after failure: AttemptFailure,
        _ retries: inout Retries
    ) async throws -> DiskLookup {
        var failure = failure
        do {
            if let exchange = try await failure.challenge?() {
                try context.checkAccount()
                return .exchange(exchange)
            }
        } catch {
            failure = AttemptFailure(error: ImageError(error), start: failure.start)
        }
        try await waitForRetry(for: context, shared.priority, after: failure, &retries)
        let cacheUse = retries.hasFailed ? context.cacheUse.afterFailure : context.cacheUse
        return try await askDisk(for: context, shared, cacheUse, isRepeated: true)
    }

    /// Stores an original of the application's own fetch until it is reloaded, unless it was reloaded meanwhile.
    /// Returns whether it is stored.
    private func storeFetched(_ result: OriginalResult, _ context: RequestContext) async throws -> Bool {
        guard context.cacheUse.access.writes, context.isCurrent(result.start) else { return false }
        let request = try TransportRequest(context)
        let lifetime = request.lifetime(.zero)
        let isStored = await transport.storeResponse(result.loaded.data, to: request, lifetime: lifetime)
        if context.isCurrent(result.start) { return isStored }
        await transport.removeStoredResponses(to: request)
        return false
    }

    /// Returns the result of a download, whose bytes may now be the newest.
    private func finishDownload(_ result: OriginalResult, _ context: RequestContext) async throws -> OriginalResult {
        var loaded = result.loaded
        if loaded.source != .stale { receive(result.start, context, isNew: loaded.source == .network) }
        if context.original.isLocal { loaded.source = .local }
        guard case .fetch = context.request.origin else {
            return context.makeResult(loaded, result.start, isStored: result.isStored, result.heads)
        }
        return context.makeResult(loaded, result.start, isStored: try await storeFetched(result, context))
    }

    /// Records that the server has answered an attempt, with new bytes or otherwise.
    private func receive(_ start: UInt64, _ context: RequestContext, isNew: Bool) {
        let isReload = isNew && context.request.mode.needsServer
        generations.withLock { $0.receive(start, of: context.original, isReload: isReload) }
    }

    /// Makes one attempt, when conditions allow it and it has a slot.
    private func makeAttempt(
        _ start: @escaping CacheAnswer.Send, for context: RequestContext, _ shared: any SharedOperation
    ) async throws -> OriginalResult {
        let gate = gate(for: context)
        let priority = shared.priority
        try await gate?.waitUntilOpen(priority) { context.send(.deferred) }
        return try await runInLane(of: context, priority) { moved in
            guard let gate else { return try await self.makeAdmittedAttempt(start, for: context, shared, moved) }
            return try await gate.run(priority) {
                try await self.makeAdmittedAttempt(start, for: context, shared, moved)
            }
        }
    }

    /// Runs an attempt when the lane of its origin has a slot. Other work doesn't wait for the network: a `data:` URL
    /// has no lane, nor has a fetch of the application, which could wait for another slot while it holds one.
    private func runInLane(
        of context: RequestContext, _ priority: LivePriority,
        _ attempt: @Sendable (_ moved: @escaping @Sendable (Int) -> Void) async throws -> OriginalResult
    ) async throws -> OriginalResult {
        let origin = context.request.origin
        let lane = origin.lane
        if let lane { context.send(.queued(lane)) }
        return try await configuration.scheduler.run(
            inLane: lane, server: origin.server, priority: priority, attempt)
    }

    /// Makes an attempt that conditions allow and that has a slot.
    private func makeAdmittedAttempt(
        _ exchange: CacheAnswer.Send, for context: RequestContext, _ shared: any SharedOperation,
        _ moved: (Int) -> Void
    ) async throws(AttemptFailure) -> OriginalResult {
        let (time, start) = (uptime(), generations.withLock { $0.makeStart() })
        context.send(.downloadStarted)
        do {
            let result =
                if case .fetch(_, let fetch) = context.request.origin {
                    try await bytes(of: fetch, start, context)
                } else {
                    try await receive(try await exchange(), start, context, shared, moved)
                }
            // A stale response is what the cache returns after a failure.
            if result.loaded.source != .stale { retryController.succeeded() }
            return result
        } catch {
            let failure = error as? AttemptFailure
            throw AttemptFailure(
                error: failure?.error ?? ImageError(error), challenge: failure?.challenge, start: time)
        }
    }

    /// Returns the gate, or nil for originals that need no network.
    private func gate(for context: RequestContext) -> DownloadGate? { context.original.isLocal ? nil : gate }

    /// Waits for the network, for a delay, or not at all after an interruption. Throws if it should not be retried.
    private func waitForRetry(
        for context: RequestContext, _ priority: LivePriority, after failure: AttemptFailure, _ retries: inout Retries
    ) async throws {
        if failure.isInterrupted { return }
        retries.hasFailed = true
        if let gate = gate(for: context), gate.isOffline, failure.error.mayBeCausedByNetwork {
            let (limit, clock) = (configuration.maxNetworkWait, configuration.clock)
            let isBack = try await gate.waitForNetwork(priority, atMost: limit, clock) {
                context.send(.waitingForNetwork)
            }
            guard isBack else { throw failure.error }
            retries = Retries(hasFailed: true)
            return
        }
        retries.start = retries.start ?? failure.start
        let elapsed = retries.start.map { uptime() - $0 } ?? .zero
        guard let delay = retryController.delay(after: failure, retry: retries.count, elapsed: elapsed) else {
            throw failure.error
        }
        retries.count += 1
        try await configuration.clock.sleep(for: delay)
    }

    /// Calls the closure of `ImageOrigin.fetch`. An `ImageError` is handled like that of a transport.
    private func bytes(
        of fetch: @Sendable () async throws -> Data, _ start: UInt64, _ context: RequestContext
    ) async throws(ImageError) -> OriginalResult {
        let data: Data
        do {
            data = try await RunningFetch.run(context.original, for: self, fetch)
            try context.checkAccount()
        } catch let error as ImageError {
            throw error
        } catch is CancellationError where Task.isCancelled {
            throw .cancelled
        } catch {
            throw .fetch(UnderlyingError(error))
        }
        return recordLoad(of: try checkSize(of: data), in: nil, start, isStored: false, context)
    }

    /// Receives the body of a response.
    private func receive(
        _ response: TransportResponse, _ start: UInt64, _ context: RequestContext, _ shared: any SharedOperation,
        _ moved: (Int) -> Void
    ) async throws -> OriginalResult {
        if let error = response.head.error {
            response.body.discard()
            // It replaces the stored bytes, too.
            if error == .notFound, response.source == .network { receive(start, context, isNew: false) }
            throw AttemptFailure(error: error, challenge: response.challenge)
        }
        report(response.head, of: response.source, context, shared)
        let received = ReceivedBytes()
        incoming.withLock { $0[context.originalKey] = received }
        // A later download may have replaced this one.
        defer { incoming.withLock { if $0[context.originalKey] === received { $0[context.originalKey] = nil } } }
        var reported = 0
        let data = try await collect(response, into: received) { progress in
            moved(progress.completedByteCount - reported)
            reported = progress.completedByteCount
            context.send(.received(bytes: progress.completedByteCount, of: progress.totalByteCount))
            shared.report(progress)
        }
        return recordLoad(of: data, in: response, start, isStored: response.isStored, context)
    }
}
