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
            return try await configuration.dataCoalescer.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress
            ) { work in
                try await self.working(on: source) { _ in
                    try await self.makeData(key, for: request, work, events)
                }
            }
        }
    }

    /// Disk, then network: the work that requests share.
    private func makeData(
        _ key: DataJobKey, for request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> LoadedData {
        let cacheKey = DataCacheKey(source: key.source)
        if key.route.usesDisk, !key.route.reloads, let entry = await stored(cacheKey, events) {
            return LoadedData(data: entry.data, source: .disk)
        }
        if key.route.isOffline { throw ImageError.offline }
        let (data, head) = try await download(request, work, events)
        if key.route.reloads { markReloaded(key.source) }
        if key.route.usesDisk { await keep(data, head, key, events) }
        return LoadedData(data: data, source: request.isLocal ? .disk : .network)
    }

    /// Stores what may be stored, unless a reload has brought newer bytes, before or meanwhile. A reload that may not be
    /// stored still ends what was there.
    private func keep(_ data: Data, _ head: ResponseHead, _ key: DataJobKey, _ events: EventSink) async {
        let cacheKey = DataCacheKey(source: key.source)
        guard isCurrent(key.route, of: key.source) else { return }
        if head.mayBeStored { await store(data, for: cacheKey, events) }
        let isOutdated = key.route.reloads ? !head.mayBeStored : !isCurrent(key.route, of: key.source)
        if isOutdated { await discard(cacheKey, events) }
    }

    // MARK: Disk

    private func stored(_ key: DataCacheKey, _ events: EventSink) async -> DataCacheEntry? {
        guard let cache = configuration.diskCache else { return nil }
        do {
            let entry = try await cache.entry(for: key)
            events.send(entry.map { .diskHit(bytes: $0.data.count) } ?? .diskMiss)
            return entry
        } catch {
            events.send(.diskFailed(error))
            return nil
        }
    }

    private func store(_ data: Data, for key: DataCacheKey, _ events: EventSink) async {
        do {
            try await configuration.diskCache?.store(
                DataCacheEntry(data: data, createdAt: configuration.now()), for: key)
        } catch {
            events.send(.diskFailed(error))
        }
    }

    /// Takes bytes out of the disk cache that turned out to be no picture, or to be out of date.
    func discard(_ key: DataCacheKey, _ events: EventSink) async {
        do {
            try await configuration.diskCache?.remove(for: key)
        } catch {
            events.send(.diskFailed(error))
        }
    }

    // MARK: Network

    /// Transfers the original, trying again where the failure may heal. Waits hold no place in the lane.
    private func download(
        _ request: ImageRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws -> (Data, ResponseHead) {
        let transfer = try TransportRequest(request, limits: configuration.transferLimits)
        var retry = 0
        while true {
            do {
                return try await configuration.scheduler.withSlot(
                    in: .download, host: request.url.host(), for: work
                ) {
                    try await self.attempt(transfer, work, events)
                }
            } catch let error as ImageError {
                guard error.mayHeal, let delay = configuration.retryPolicy.delay(beforeRetry: retry) else {
                    throw error
                }
                retry += 1
                try await configuration.clock.sleep(for: delay)
            }
        }
    }

    private func attempt(
        _ transfer: TransportRequest, _ work: any SharedWork, _ events: EventSink
    ) async throws(ImageError) -> (Data, ResponseHead) {
        events.send(.downloadStarted)
        let response: TransportResponse
        let data: Data
        do throws(TransportFailure) {
            response = try await configuration.transport.send(transfer)
        } catch {
            throw ImageError(error)
        }
        try response.head.checkStatus()
        do throws(TransportFailure) {
            data = try await collect(response, limit: transfer.maxBodyBytes, work)
        } catch {
            throw ImageError(error)
        }
        events.send(.downloadFinished(bytes: data.count))
        return (data, response.head)
    }

    private func collect(
        _ response: TransportResponse, limit: Int, _ work: any SharedWork
    ) async throws(TransportFailure) -> Data {
        let total = response.head.expectedBytes
        var data = Data()
        // An announced length is a claim: it buys at most a megabyte ahead of the bytes themselves.
        data.reserveCapacity(min(total ?? 0, 1 << 20))
        var body = response.body.makeAsyncIterator()
        while let piece = try await body.next() {
            if data.count + piece.count > limit { throw .tooLarge(allowedBytes: limit) }
            data.append(piece)
            work.report(WorkProgress(completedBytes: data.count, totalBytes: total))
        }
        return data
    }
}

extension TransportRequest {
    init(_ request: ImageRequest, limits: TransferLimits) throws(ImageError) {
        var fields = HTTPFields()
        for (name, value) in request.headers {
            guard let name = HTTPField.Name(name) else { throw .invalidURL("no header can be named \"\(name)\"") }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            url: request.url, headers: fields, connectTimeout: limits.connectTimeout, stallTimeout: limits.stallTimeout,
            maxBodyBytes: limits.maxBodyBytes, maxRedirects: limits.maxRedirects)
    }
}
