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

extension ImageLoader {
    /// Brings the original, trying again where the failure may heal. Waits hold no place in the lane.
    func downloaded(_ download: Download, _ work: any SharedWork) async throws -> LoadedData {
        let start = governor.uptime()
        var retry = 0
        while true {
            do {
                return try await configuration.scheduler.withSlot(in: .download, host: download.host, for: work) {
                    try await self.attempt(download)
                }
            } catch let failure as AttemptFailure {
                let elapsed = governor.uptime() - start
                let wait = governor.wait(
                    after: failure, retry: retry, elapsed: elapsed, download.load.request.retryBudget)
                guard let wait else { throw failure.error }
                retry += 1
                try await configuration.clock.sleep(for: wait)
            }
        }
    }

    private func attempt(_ download: Download) async throws(AttemptFailure) -> LoadedData {
        try governor.admit(download.host)
        download.load.events.send(.downloadStarted)
        do {
            let data =
                switch download.means {
                case .fetch(let fetch): try await bytes(of: fetch, download.load.events)
                case .transfer(let transfer): try await bytes(of: transfer, download.load.events)
                }
            governor.succeeded(download.host, download.load.request.retryBudget)
            return data
        } catch {
            throw governor.failed(download.host, error)
        }
    }

    /// What the request's own fetch brings. An `ImageError` that it throws counts as if a transport had met it.
    private func bytes(
        of fetch: @Sendable () async throws -> Data, _ events: EventSink
    ) async throws -> LoadedData {
        do {
            let data = try checked(try await fetch(), .network)
            events.send(.downloadFinished(bytes: data.data.count))
            return data
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            throw Task.isCancelled ? ImageError.cancelled : .fetch("it cancelled itself")
        } catch {
            throw ImageError.fetch("\(error)")
        }
    }

    private func bytes(of transfer: Transfer, _ events: EventSink) async throws -> LoadedData {
        let response = try await configuration.transport.send(transfer.request)
        if let error = response.head.refusal {
            throw AttemptFailure(error: error, retryAfter: response.head.retryAfter)
        }
        let data = try await collect(response, limit: transfer.request.maxBodyBytes) { transfer.report.progressed($0) }
        return told(data, from: response.source, events)
    }
}
