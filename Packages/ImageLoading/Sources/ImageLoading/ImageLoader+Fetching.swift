import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Joins or starts the work for one original: `onAnswer` is called once. Returns what makes it leave.
    func join(
        _ load: Load, _ waiting: Waiting, _ priority: RequestPriority,
        onAnswer: @escaping @Sendable (Result<LoadedData, any Error>) -> Void
    ) -> @Sendable () -> Void {
        let route = FetchRoute(load.request, reloadCount: load.reloadCount)
        return configuration.dataCoalescer.join(
            DataJobKey(original: load.original, route: route), as: waiting.id, priority: priority,
            onProgress: waiting.onProgress
        ) { answer in
            if case .success(let loaded) = answer, loaded.maker != waiting.id, loaded.source == .network {
                load.send(.joined(bytes: loaded.data.count))
            }
            onAnswer(answer)
        } begin: { work, proceed in
            proceed {
                var made = try await self.makeData(route, for: load, work)
                made.maker = waiting.id
                return made
            }
            return {}
        }
    }

    /// What is stored, then the network: the work that requests share.
    private func makeData(_ route: FetchRoute, for load: Load, _ work: any SharedWork) async throws -> LoadedData {
        switch load.request.origin {
        case .data(let data, _): return try checked(data, .disk)
        case .fetch(_, let fetch): return try await fetched(fetch, route, for: load, work)
        case .url(let url):
            let transfer = try transfer(of: url, route, for: load, work)
            if !load.original.isLocal, let stored = try await stored(transfer, route, load) {
                return stored
            }
            if route.isOffline { throw ImageError.offline }
            let download = Download(load, .transfer(transfer), host: url.host())
            return arrived(try await downloaded(download, work), load, route)
        }
    }

    private func transfer(
        of url: URL, _ route: FetchRoute, for load: Load, _ work: any SharedWork
    ) throws(ImageError) -> Transfer {
        let request = try TransportRequest(
            url: url, headers: load.request.headers, route, limits: configuration.transferLimits)
        return Transfer(request, ProgressReporter(work))
    }

    /// What the request's own fetch has brought before and the disk cache keeps under its name; else what it brings now.
    @inline(never)  // seldom: no place in the frame above
    private func fetched(
        _ fetch: @escaping @Sendable () async throws -> Data, _ route: FetchRoute, for load: Load,
        _ work: any SharedWork
    ) async throws -> LoadedData {
        if let kept = await keptOriginal(load, route) { return try checked(kept, .disk) }
        if route.isOffline { throw ImageError.offline }
        let data = arrived(try await downloaded(Download(load, .fetch(fetch), host: nil), work), load, route)
        await keepOriginal(data.data, load, route)
        return data
    }

    private func arrived(_ data: LoadedData, _ load: Load, _ route: FetchRoute) -> LoadedData {
        if route.reloads { markReloaded(load.original) }
        return load.original.isLocal ? LoadedData(data: data.data, source: .disk) : data
    }

    /// What needs no network, and so no place in the lane of downloads. Nil when the transport is to be asked.
    private func stored(
        _ transfer: Transfer, _ route: FetchRoute, _ load: Load
    ) async throws(ImageError) -> LoadedData? {
        guard let cache = configuration.responseCache, route.readsDisk else {
            load.send(.diskMiss(configuration.responseCache == nil ? .noCache : .policy))
            return nil
        }
        return try await stored(in: cache, transfer, route, load)
    }

    @inline(never)  // no place in the frame above, where there is no cache
    private func stored(
        in cache: any ResponseCache, _ transfer: Transfer, _ route: FetchRoute, _ load: Load
    ) async throws(ImageError) -> LoadedData? {
        let response: TransportResponse
        do throws(CacheMiss) {
            response = try await storedResponse(in: cache, to: transfer.request, route)
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

    private func storedResponse(
        in cache: any ResponseCache, to transfer: TransportRequest, _ route: FetchRoute
    ) async throws(CacheMiss) -> TransportResponse {
        var question = transfer
        question.cacheUse = .standard
        return try await cache.storedResponse(to: question, acceptsStale: route.isOffline)
    }

    /// True when the original, or that there is none, is stored so that a request would ask neither network nor application. The body is not pulled, and
    /// no event tells of it.
    func hasStored(_ request: ImageRequest) async -> Bool {
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
    func discard(_ load: Load) async throws(ImageError) {
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
