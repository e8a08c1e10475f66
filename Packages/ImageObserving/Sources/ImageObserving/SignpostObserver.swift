#if canImport(os)
    public import ImageCore
    public import os
    import Synchronization

    /// Shows the requests of a loader, and their stages, as intervals in Instruments.
    ///
    /// Credentials and queries of URLs are left out, so that the rest can be public in Instruments.
    public final class SignpostObserver: ImageLoaderObserver {
        private struct Request {
            let id: OSSignpostID
            let interval: OSSignpostIntervalState
            var stage: (name: RequestStage, interval: OSSignpostIntervalState)?
        }

        private let signposter: OSSignposter
        private let next: (any ImageLoaderObserver)?
        private let requests = Mutex(RequestTable<Request>())

        /// Creates an observer for one loader.
        ///
        /// - Parameters:
        ///   - signposter: Receives the intervals. Its category is yours, for example `.pointsOfInterest`.
        ///   - next: Receives all events afterwards.
        public init(_ signposter: OSSignposter, next: (any ImageLoaderObserver)? = nil) {
            self.signposter = signposter
            self.next = next
        }

        public func handle(_ event: ImageLoadEvent) {
            record(event)
            next?.handle(event)
        }

        /// Also ends requests that began before Instruments stopped recording. The system's functions return at once
        /// and call nothing, so the lock may be held.
        private func record(_ event: ImageLoadEvent) {
            requests.withLock { requests in
                if event.kind == .started, signposter.isEnabled { requests.insert(event.requestID, begin(event)) }
                requests.handle(event) { request, timeline, _ in
                    change(&request, to: timeline.current)
                    guard let outcome = timeline.outcome else { return }
                    signposter.endInterval("request", request.interval, "\(outcome, privacy: .public)")
                }
            }
        }

        private func begin(_ event: ImageLoadEvent) -> Request {
            let id = signposter.makeSignpostID()
            let address = event.url?.withoutSecrets ?? ""
            return Request(
                id: id, interval: signposter.beginInterval("request", id: id, "\(address, privacy: .public)"))
        }

        private func change(_ request: inout Request, to current: RequestStage?) {
            if request.stage?.name == current { return }
            if let stage = request.stage { signposter.endInterval(stage.name.signpost, stage.interval) }
            request.stage = current.map { ($0, signposter.beginInterval($0.signpost, id: request.id)) }
        }
    }

    extension RequestStage {
        fileprivate var signpost: StaticString {
            switch self {
            case .lookup: "lookup"
            case .queue: "queue"
            case .download: "download"
            case .decode: "decode"
            case .process: "process"
            case .join: "join"
            }
        }
    }
#endif
