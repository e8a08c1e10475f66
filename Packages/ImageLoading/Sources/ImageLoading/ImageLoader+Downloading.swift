import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What brings an original, however often it is tried.
final class Download: Sendable {
    enum Means: Sendable {
        case transfer(Transfer)
        case fetch(@Sendable () async throws -> Data)
    }

    let load: Load
    let means: Means
    let host: String?

    init(_ load: Load, _ means: Means, host: String?) {
        self.load = load
        self.means = means
        self.host = host
    }
}

/// A class, so that a request's many words lie in no frame of those who hand it on.
final class Transfer: Sendable {
    let request: TransportRequest
    let report: ProgressReporter

    init(_ request: TransportRequest, _ report: ProgressReporter) {
        self.request = request
        self.report = report
    }
}

/// How often one original has been tried again, and since when it is tried.
private struct Trials {
    var start: Duration
    var retries = 0
}

extension ImageLoader {
    /// Brings the original, trying again where the failure may heal. Waits hold no place in the lane.
    nonisolated(nonsending) func downloaded(_ download: Download, _ work: any SharedWork) async throws -> LoadedData {
        var trials = Trials(start: governor.uptime())
        while true {
            do {
                return try await triedOnce(download, work)
            } catch let failure as AttemptFailure {
                try await pause(after: failure, &trials, download, work)
            }
        }
    }

    /// What is at hand needs no better conditions.
    private func door(for download: Download) -> DownloadDoor? { download.load.original.isLocal ? nil : door }

    private nonisolated(nonsending) func triedOnce(_ download: Download, _ work: any SharedWork) async throws
        -> LoadedData
    {
        if let door = door(for: download) { return try await tried(download, through: door, work) }
        download.load.tell(.queued(.download))
        return try await lanes.withSlot(in: .download, host: download.host, for: work) {
            try await self.attempt(download)
        }
    }

    @inline(never)  // no place in the frame above, where there is no door
    private nonisolated(nonsending) func tried(
        _ download: Download, through door: DownloadDoor, _ work: any SharedWork
    ) async throws -> LoadedData {
        _ = try await door.enter(work) { download.load.tell(.heldBack) }
        download.load.tell(.queued(.download))
        return try await lanes.withSlot(in: .download, host: download.host, for: work) {
            try await door.run(work) { () async throws(AttemptFailure) in try await self.attempt(download) }
        }
    }

    /// Returns when it is to be tried again; throws when it is not.
    @inline(never)  // seldom: no place in the frame above
    private nonisolated(nonsending) func pause(
        after failure: AttemptFailure, _ trials: inout Trials, _ download: Download, _ work: any SharedWork
    ) async throws {
        if failure.isBrokenOff { return }
        if let door = door(for: download),
            try await waitedForNetwork(after: failure.error, door, download, work)
        {
            trials = Trials(start: governor.uptime())
            return
        }
        let wait = governor.wait(
            after: failure, retry: trials.retries, elapsed: governor.uptime() - trials.start,
            download.load.request.retryBudget)
        guard let wait else { throw failure.error }
        trials.retries += 1
        try await configuration.clock.sleep(for: wait)
    }

    /// True when it failed for lack of a network, and there is one again; false when that was not it, or too many wait.
    @inline(never)  // seldom: no place in the frame above
    private nonisolated(nonsending) func waitedForNetwork(
        after error: ImageError, _ door: DownloadDoor, _ download: Download, _ work: any SharedWork
    ) async throws -> Bool {
        guard door.isOffline, error.mayBeForLackOfNetwork else { return false }
        return try await door.enter(work, needsNetwork: true) { download.load.tell(.waitsForNetwork) }
    }

    private nonisolated(nonsending) func attempt(_ download: Download) async throws(AttemptFailure) -> LoadedData {
        try governor.admit(download.host)
        download.load.tell(.downloadStarted)
        do {
            let data =
                switch download.means {
                case .fetch(let fetch): try await bytes(of: fetch, download.load)
                case .transfer(let transfer): try await bytes(of: transfer, download.load)
                }
            governor.succeeded(download.host, download.load.request.retryBudget)
            return data
        } catch {
            throw governor.failed(download.host, error, isOffline: door?.isOffline ?? false)
        }
    }

    /// What the request's own fetch brings. An `ImageError` that it throws counts as if a transport had met it.
    private nonisolated(nonsending) func bytes(
        of fetch: @Sendable () async throws -> Data, _ load: Load
    ) async throws -> LoadedData {
        do {
            let data = try checked(try await fetch(), .network)
            load.send(.downloadFinished(bytes: data.data.count))
            return data
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            throw Task.isCancelled ? ImageError.cancelled : .fetch("it cancelled itself")
        } catch {
            throw ImageError.fetch("\(error)")
        }
    }

    private nonisolated(nonsending) func bytes(of transfer: Transfer, _ load: Load) async throws -> LoadedData {
        let response = try await configuration.transport.send(transfer.request)
        if let error = response.head.refusal {
            throw AttemptFailure(error: error, retryAfter: response.head.retryAfter)
        }
        let data = try await collect(response, limit: transfer.request.maxBodyBytes) { progress in
            load.tell(.received(bytes: progress.completedBytes, of: progress.totalBytes))
            transfer.report.progressed(progress)
        }
        return told(data, from: response.source, load)
    }
}
