import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageLoader {
    /// Downloads the original and retries transient failures. Frees its slot in the lane while it waits.
    ///
    /// - Parameter attempt: Makes one attempt to load the bytes.
    func download(
        for context: RequestContext, _ priority: LivePriority,
        _ attempt: @escaping @Sendable () async throws -> LoadedData
    ) async throws -> DataJobResult {
        if context.route.isOffline { throw ImageError.offline }
        var retries = Retries(start: self.retries.uptime())
        while true {
            do {
                let loaded = try await makeAttempt(for: context, priority, attempt)
                return downloaded(loaded, for: context)
            } catch let failure as AttemptFailure {
                try await prepareRetry(for: context, priority, after: failure, &retries)
            }
        }
    }

    /// Returns the result of a download. New bytes of a request that had to ask the origin outdate those of older ones.
    private func downloaded(_ loaded: LoadedData, for context: RequestContext) -> DataJobResult {
        let isReload = context.route.mode.asksOrigin && loaded.source == .network
        let reload = isReload ? reloads.withLock { $0.markReloaded(context.original) } : nil
        let source = context.original.isLocal ? .disk : loaded.source
        return context.result(LoadedData(data: loaded.data, source: source), lastReload: reload)
    }

    /// Waits until conditions allow the download and for a slot in the lane, then makes one attempt.
    private func makeAttempt(
        for context: RequestContext, _ priority: LivePriority,
        _ attempt: @escaping @Sendable () async throws -> LoadedData
    ) async throws -> LoadedData {
        let gate = gate(for: context)
        _ = try await gate?.waitUntilOpen(priority) { context.send(.deferred) }
        context.send(.queued(.download))
        return try await configuration.scheduler.run(in: .download, host: context.host, priority: priority) {
            guard let gate else { return try await self.makeAdmittedAttempt(for: context, attempt) }
            return try await gate.run(priority) { try await self.makeAdmittedAttempt(for: context, attempt) }
        }
    }

    /// Makes an attempt if the circuit breaker of the host allows it.
    private func makeAdmittedAttempt(
        for context: RequestContext, _ attempt: @Sendable () async throws -> LoadedData
    ) async throws(AttemptFailure) -> LoadedData {
        try retries.admit(context.host)
        context.send(.downloadStarted)
        do {
            let loaded = try await attempt()
            retries.succeeded(context.host, context.request.retryBudget)
            return loaded
        } catch {
            throw retries.failed(context.host, error, isOffline: gate?.isOffline ?? false)
        }
    }

    /// Returns the gate, or nil for originals that need no network.
    private func gate(for context: RequestContext) -> DownloadGate? { context.original.isLocal ? nil : gate }

    /// Waits until the download should be retried. Throws if it should not.
    private func prepareRetry(
        for context: RequestContext, _ priority: LivePriority, after failure: AttemptFailure, _ retries: inout Retries
    ) async throws {
        if failure.isInterrupted { return }
        if try await waitForNetwork(context, priority, after: failure.error) {
            retries = Retries(start: self.retries.uptime())
            return
        }
        guard let wait = self.retries.wait(after: failure, retries, context.request.retryBudget) else {
            throw failure.error
        }
        retries.count += 1
        try await configuration.clock.sleep(for: wait)
    }

    /// Waits for a network. Returns false if it was not the cause, or if too many downloads wait for it.
    private func waitForNetwork(
        _ context: RequestContext, _ priority: LivePriority, after error: ImageError
    ) async throws -> Bool {
        guard let gate = gate(for: context), gate.isOffline, error.mayBeCausedByNetwork else { return false }
        return try await gate.waitUntilOpen(priority, needsNetwork: true) { context.send(.waitingForNetwork) }
    }

    /// Calls the closure of `ImageOrigin.fetch`. An `ImageError` is handled like that of a transport.
    func bytes(
        of fetch: @Sendable () async throws -> Data, _ context: RequestContext
    ) async throws(ImageError) -> LoadedData {
        let data: Data
        do {
            data = try await fetch()
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            throw Task.isCancelled ? .cancelled : .fetch("it threw CancellationError without being cancelled")
        } catch {
            throw .fetch("\(error)")
        }
        return loaded(try checkSize(of: data), from: .network, context)
    }

    /// Sends one request and receives its body.
    func transfer(
        _ url: URL, _ context: RequestContext, _ shared: any SharedOperation
    ) async throws -> LoadedData {
        let request = try TransportRequest(url, context, configuration.transferLimits)
        let response = try await configuration.transport.send(request)
        if let error = response.head.error {
            response.body.discard()
            throw AttemptFailure(error: error, retryAfter: response.head.retryAfter)
        }
        let received = ReceivedBytes()
        downloads.began(received, for: context.dataKey)
        defer { downloads.ended(received, for: context.dataKey) }
        let data = try await collect(response, into: received) { progress in
            context.send(.received(bytes: progress.completedBytes, of: progress.totalBytes))
            shared.report(progress)
        }
        return loaded(data, from: response.source, context)
    }
}
