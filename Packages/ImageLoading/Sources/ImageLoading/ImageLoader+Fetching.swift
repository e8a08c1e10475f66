import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Joins or starts the work for one original.
    func sharedData(
        for request: ImageRequest, waiter: WaiterID, priority: RequestPriority, _ events: EventSink,
        onJoin: @escaping @Sendable () -> Void = {}, onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> LoadedData {
        let source = request.source
        return try await working(on: source) { reloadCount in
            let key = DataJobKey(source: source, route: FetchRoute(request, reloadCount: reloadCount))
            let loaded = try await configuration.dataCoalescer.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress
            ) { work in
                try await self.working(on: source) { _ in
                    var made = try await self.makeData(key, for: request, work, events)
                    made.maker = waiter
                    return made
                }
            }
            if loaded.maker != waiter, loaded.source == .network { events.send(.joined(bytes: loaded.data.count)) }
            return loaded
        }
    }

    /// What is stored, then the network: the work that requests share.
    private func makeData(
        _ key: DataJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedData {
        switch request.origin {
        case .data(let data, _): return try checked(data, .disk)
        case .fetch(_, let fetch):
            if key.route.isOffline { throw ImageError.offline }
            return try await download(host: nil, for: request, work) { () async throws(AttemptFailure) in
                try await self.attempt(fetch, events)
            }
        case .url(let url):
            return try await makeData(at: url, key, for: request, work, events)
        }
    }

    private func makeData(
        at url: URL, _ key: DataJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedData {
        let transfer = try TransportRequest(
            url: url, headers: request.headers, key.route, limits: configuration.transferLimits)
        if let stored = try await stored(transfer, key.route, events) { return stored }
        if key.route.isOffline { throw ImageError.offline }
        let report = ProgressReporter(work)
        let data = try await download(host: url.host(), for: request, work) { () async throws(AttemptFailure) in
            try await self.attempt(transfer, report, events)
        }
        if key.route.reloads { markReloaded(key.source) }
        return request.origin.isLocal ? LoadedData(data: data.data, source: .disk) : data
    }

    /// What needs no network, and so no place in the lane of downloads. Nil when the transport is to be asked.
    private func stored(
        _ transfer: TransportRequest, _ route: FetchRoute, _ events: EventSink
    ) async throws(ImageError) -> LoadedData? {
        guard route.readsDisk, let cache = configuration.responseCache else { return nil }
        guard let response = await storedResponse(in: cache, to: transfer, route) else {
            events.send(.diskMiss)
            return nil
        }
        if let error = response.head.refusal {
            events.send(.diskHit(bytes: 0))  // that there is no picture
            throw error
        }
        do throws(TransportFailure) {
            let data = try await collect(response, limit: transfer.maxBodyBytes)
            return told(data, from: response.source, events)
        } catch .closedEarly {
            events.send(.diskMiss)
            return nil
        } catch {
            throw ImageError(error)
        }
    }

    private func storedResponse(
        in cache: any ResponseCache, to transfer: TransportRequest, _ route: FetchRoute
    ) async -> TransportResponse? {
        var question = transfer
        question.cacheUse = .standard
        return await cache.storedResponse(to: question, acceptsStale: route.isOffline)
    }

    /// True when the original, or that there is none, is stored so that a request would ask no network. The body is not pulled, and
    /// no event tells of it.
    func hasStored(_ request: ImageRequest) async -> Bool {
        let route = FetchRoute(request)
        guard let url = request.url, route.readsDisk, let cache = configuration.responseCache,
            let transfer = try? TransportRequest(
                url: url, headers: request.headers, route, limits: configuration.transferLimits),
            let response = await storedResponse(in: cache, to: transfer, route)
        else { return false }
        response.body.discard()
        return true
    }

    /// Takes bytes out of the cache that turned out to be no picture.
    func discard(_ request: ImageRequest) async throws(ImageError) {
        guard let url = request.url, let cache = configuration.responseCache else { return }
        var transfer = try TransportRequest(
            url: url, headers: request.headers, FetchRoute(request), limits: configuration.transferLimits)
        transfer.cacheUse = .standard
        await cache.removeStoredResponses(to: transfer)
    }

    /// Bytes that no transport has bounded.
    private func checked(_ data: Data, _ source: ImageSource) throws(ImageError) -> LoadedData {
        let limit = configuration.transferLimits.maxBodyBytes
        guard data.count <= limit else { throw .tooLarge(allowedBytes: limit) }
        return LoadedData(data: data, source: source)
    }

    /// Tells where bytes came from.
    private func told(_ data: Data, from source: ResponseSource, _ events: EventSink) -> LoadedData {
        switch source {
        case .network:
            events.send(.downloadFinished(bytes: data.count))
            return LoadedData(data: data, source: .network)
        case .validated:
            events.send(.validated(bytes: data.count))
            return LoadedData(data: data, source: .validated)
        case .cache:
            events.send(.diskHit(bytes: data.count))
            return LoadedData(data: data, source: .disk)
        case .stale:
            events.send(.staleHit(bytes: data.count))
            return LoadedData(data: data, source: .stale)
        }
    }

    // MARK: Network

    /// Transfers the original, trying again where the failure may heal. Waits hold no place in the lane.
    private func download(
        host: String?, for request: ImageRequest, _ work: any SharedWork,
        _ attempt: () async throws(AttemptFailure) -> LoadedData
    ) async throws -> LoadedData {
        let start = governor.uptime()
        var retry = 0
        while true {
            do {
                return try await configuration.scheduler.withSlot(in: .download, host: host, for: work) {
                    try await self.governor.attempt(host, request.retryBudget, attempt)
                }
            } catch let failure as AttemptFailure {
                let elapsed = governor.uptime() - start
                guard let wait = governor.wait(after: failure, retry: retry, elapsed: elapsed, request.retryBudget)
                else {
                    throw failure.error
                }
                retry += 1
                try await configuration.clock.sleep(for: wait)
            }
        }
    }

    /// What the request's own fetch brings. An `ImageError` that it throws counts as if a transport had met it.
    private func attempt(
        _ fetch: @Sendable () async throws -> Data, _ events: EventSink
    ) async throws(AttemptFailure) -> LoadedData {
        events.send(.downloadStarted)
        do {
            let data = try checked(try await fetch(), .network)
            events.send(.downloadFinished(bytes: data.data.count))
            return data
        } catch let error as ImageError {
            throw AttemptFailure(error: error)
        } catch is CancellationError {
            throw AttemptFailure(error: Task.isCancelled ? .cancelled : .fetch("it cancelled itself"))
        } catch {
            throw AttemptFailure(error: .fetch("\(error)"))
        }
    }

    private func attempt(
        _ transfer: TransportRequest, _ report: ProgressReporter, _ events: EventSink
    ) async throws(AttemptFailure) -> LoadedData {
        events.send(.downloadStarted)
        do {
            let response = try await configuration.transport.send(transfer)
            if let error = response.head.refusal {
                throw AttemptFailure(error: error, retryAfter: response.head.retryAfter)
            }
            let data = try await collect(response, limit: transfer.maxBodyBytes) { report.progressed($0) }
            return told(data, from: response.source, events)
        } catch let failure as AttemptFailure {
            throw failure
        } catch {
            throw AttemptFailure(error: ImageError(error))
        }
    }

    private func collect(
        _ response: TransportResponse, limit: Int, onProgress: (WorkProgress) -> Void = { _ in }
    ) async throws(TransportFailure) -> Data {
        let total = response.head.expectedBytes
        let received = ReceivedBytes()
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await pieces.next() {
            guard received.count + piece.count <= limit else { throw .tooLarge(allowedBytes: limit) }
            received.append(piece, expectedBytes: total)
            var progress = WorkProgress(completedBytes: received.count, totalBytes: total)
            progress.received = received
            onProgress(progress)
        }
        return received.all
    }
}

extension TransportRequest {
    init(
        url: URL, headers: [String: String], _ route: FetchRoute, limits: TransferLimits
    ) throws(ImageError) {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { throw .invalidURL("no header can be named \"\(name)\"") }
            fields.append(HTTPField(name: name, value: value))
        }
        // Caches on the way are to ask, too.
        if route.mode == .reload || route.mode == .revalidate, !fields.contains(.cacheControl) {
            fields[.cacheControl] = "no-cache"
        }
        self.init(
            url: url, headers: fields, connectTimeout: limits.connectTimeout, stallTimeout: limits.stallTimeout,
            totalTimeout: limits.totalTimeout, maxBodyBytes: limits.maxBodyBytes, maxRedirects: limits.maxRedirects)
        cacheUse = route.cacheUse
    }
}
