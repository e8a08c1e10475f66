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
    func join(
        _ load: Load, as waiter: any SharedWorkWaiter<LoadedData>, _ priority: RequestPriority
    ) -> any SharedWorkPlace {
        configuration.dataCoalescer.join(key(load), as: waiter, priority: priority) { work, proceed in
            proceed { try await self.data(for: load, work) }
            return {}
        }
    }

    /// Waits in the present task for one original.
    func original(
        for load: Load, _ priority: RequestPriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onJoin: (any SharedWorkPlace) -> Void = { _ in }
    ) async throws -> LoadedData {
        let loaded = try await configuration.dataCoalescer.value(
            for: key(load), priority: priority, onJoin: onJoin, onProgress: onProgress
        ) { work in
            try await self.data(for: load, work)
        }
        load.noteJoining(loaded)
        return loaded
    }

    private func key(_ load: Load) -> DataJobKey { DataJobKey(original: load.original, route: load.route) }

    private nonisolated(nonsending) func data(for load: Load, _ work: any SharedWork) async throws -> LoadedData {
        var made = try await makeData(for: load, work)
        made.maker = load.id
        return made
    }

    /// What is stored, then the network: the work that requests share.
    private nonisolated(nonsending) func makeData(for load: Load, _ work: any SharedWork) async throws -> LoadedData {
        switch load.request.origin {
        case .data(let data, _): return try checked(data, .disk)
        case .fetch(_, let fetch): return try await fetched(fetch, for: load, work)
        case .url(let url):
            let transfer = try transfer(of: url, for: load, work)
            if !load.original.isLocal, let stored = try await stored(transfer, load) {
                return stored
            }
            if load.route.isOffline { throw ImageError.offline }
            let download = Download(load, .transfer(transfer), host: url.host())
            return arrived(try await downloaded(download, work), load)
        }
    }

    private func transfer(
        of url: URL, for load: Load, _ work: any SharedWork
    ) throws(ImageError) -> Transfer {
        let request = try TransportRequest(
            url: url, headers: load.request.headers, load.route, limits: configuration.transferLimits)
        return Transfer(request, ProgressReporter(work))
    }

    /// What the request's own fetch has brought before and the disk cache keeps under its name; else what it brings now.
    @inline(never)  // seldom: no place in the frame above
    private nonisolated(nonsending) func fetched(
        _ fetch: @escaping @Sendable () async throws -> Data, for load: Load, _ work: any SharedWork
    ) async throws -> LoadedData {
        if let kept = await keptOriginal(load) { return try checked(kept, .disk) }
        if load.route.isOffline { throw ImageError.offline }
        let data = arrived(try await downloaded(Download(load, .fetch(fetch), host: nil), work), load)
        await keepOriginal(data.data, load)
        return data
    }

    private func arrived(_ data: LoadedData, _ load: Load) -> LoadedData {
        if load.route.reloads { markReloaded(load.original) }
        return load.original.isLocal ? LoadedData(data: data.data, source: .disk) : data
    }

    /// What needs no network, and so no place in the lane of downloads. Nil when the transport is to be asked.
    private nonisolated(nonsending) func stored(
        _ transfer: Transfer, _ load: Load
    ) async throws(ImageError) -> LoadedData? {
        guard let cache = configuration.responseCache, load.route.readsDisk else {
            load.send(.diskMiss(configuration.responseCache == nil ? .noCache : .policy))
            return nil
        }
        return try await stored(in: cache, transfer, load)
    }

    @inline(never)  // no place in the frame above, where there is no cache
    private nonisolated(nonsending) func stored(
        in cache: any ResponseCache, _ transfer: Transfer, _ load: Load
    ) async throws(ImageError) -> LoadedData? {
        let response: TransportResponse
        do throws(CacheMiss) {
            response = try await storedResponse(in: cache, to: transfer.request, load.route)
        } catch {
            load.send(.diskMiss(error))
            return nil
        }
        if let error = response.head.refusal {
            load.send(.diskHit(bytes: 0))  // that there is no picture
            throw error
        }
        do throws(TransportFailure) {
            let data = try await collect(response, limit: transfer.request.maxBodyBytes)
            return told(data, from: response.source, load)
        } catch .closedEarly {
            load.send(.diskMiss(.bytesLost))
            return nil
        } catch {
            throw ImageError(error)
        }
    }

    private nonisolated(nonsending) func storedResponse(
        in cache: any ResponseCache, to transfer: TransportRequest, _ route: FetchRoute
    ) async throws(CacheMiss) -> TransportResponse {
        var question = transfer
        question.cacheUse = .standard
        return try await cache.storedResponse(to: question, acceptsStale: route.isOffline)
    }

    /// True when the original, or that there is none, is stored so that a request would ask neither network nor application. The body is not pulled, and
    /// no event tells of it.
    nonisolated(nonsending) func hasStored(_ request: ImageRequest) async -> Bool {
        let route = FetchRoute(request)
        if case .fetch = request.origin { return await hasKept(request, route) }
        guard let url = request.url, route.readsDisk, let cache = configuration.responseCache,
            let transfer = try? TransportRequest(
                url: url, headers: request.headers, route, limits: configuration.transferLimits),
            let response = try? await storedResponse(in: cache, to: transfer, route)
        else { return false }
        response.body.discard()
        return true
    }

    /// Takes bytes out of the cache that turned out to be no picture.
    nonisolated(nonsending) func discard(_ load: Load) async throws(ImageError) {
        let request = load.request
        if case .fetch = request.origin { await forgetOriginal(load) }
        guard let url = request.url, let cache = configuration.responseCache else { return }
        var transfer = try TransportRequest(
            url: url, headers: request.headers, FetchRoute(request), limits: configuration.transferLimits)
        transfer.cacheUse = .standard
        await cache.removeStoredResponses(to: transfer)
    }

    /// Bytes that no transport has bounded.
    func checked(_ data: Data, _ source: ImageSource) throws(ImageError) -> LoadedData {
        let limit = configuration.transferLimits.maxBodyBytes
        guard data.count <= limit else { throw .tooLarge(allowedBytes: limit) }
        return LoadedData(data: data, source: source)
    }

    /// Tells where bytes came from.
    func told(_ data: Data, from source: ResponseSource, _ load: Load) -> LoadedData {
        switch source {
        case .network:
            load.send(.downloadFinished(bytes: data.count))
            return LoadedData(data: data, source: .network)
        case .validated:
            load.send(.validated(bytes: data.count))
            return LoadedData(data: data, source: .validated)
        case .cache:
            load.send(.diskHit(bytes: data.count))
            return LoadedData(data: data, source: .disk)
        case .stale:
            load.send(.staleHit(bytes: data.count))
            return LoadedData(data: data, source: .stale)
        }
    }

    func collect(
        _ response: TransportResponse, limit: Int, onProgress: (WorkProgress) -> Void = { _ in }
    ) async throws(TransportFailure) -> Data {
        let total = response.head.expectedBytes
        let received = ReceivedBytes()
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await pieces.next(isolation: nil) {
            guard received.count + piece.count <= limit else { throw .tooLarge(allowedBytes: limit) }
            received.append(piece, expectedBytes: total)
            var progress = WorkProgress(completedBytes: received.count, totalBytes: total)
            progress.received = received
            onProgress(progress)
        }
        return received.all
    }
}

extension Load {
    /// Tells that an original came with a transfer that another request began.
    func noteJoining(_ loaded: LoadedData) {
        let joining = joining(of: loaded.maker, loaded.source, bytes: loaded.data.count)
        if let joining { send(joining) }
    }
}

extension TransportRequest {
    fileprivate init(
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
