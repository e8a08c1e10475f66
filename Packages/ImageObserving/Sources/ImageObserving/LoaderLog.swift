#if Observability
    import ImageCore
    import Logging
    import Synchronization

    /// Writes the messages of a loader.
    final class LoaderLog: Sendable {
        private let logger: Logger
        /// The last failure of the disk cache, which is written once, and not for each image.
        private let diskFailure = Mutex<DataCacheError?>(nil)

        init(logger: Logger) { self.logger = logger }

        /// Returns whether an event is written. Call it once for each event.
        func accepts(_ kind: ImageLoadEvent.Kind) -> Bool { isNew(kind) && logger.logLevel <= level(of: kind) }

        /// Writes an event that is accepted.
        ///
        /// - Parameters:
        ///   - stage: The stage that the event has ended.
        ///   - address: The text of the URL.
        func write(_ event: ImageLoadEvent, _ stage: RequestTimeline.Stage?, _ address: String?) {
            var metadata: Logger.Metadata = [:]
            if let request = event.requestID { metadata["request"] = .stringConvertible(request) }
            if let address { metadata["url.full"] = .string(address.withoutControls) }
            metadata["ms"] = .stringConvertible(event.elapsed.seconds * 1e3)
            if let stage { metadata[stage.name.rawValue + ".ms"] = .stringConvertible(stage.time.seconds * 1e3) }
            logger.log(level: level(of: event.kind), message(event.kind, &metadata), metadata: metadata)
        }

        private func level(of kind: ImageLoadEvent.Kind) -> Logger.Level {
            switch kind {
            case .failed, .diskFailed, .worker: .warning
            case .succeeded, .cancelled: .debug
            default: .trace
            }
        }

        private func message(_ kind: ImageLoadEvent.Kind, _ metadata: inout Logger.Metadata) -> Logger.Message {
            switch kind {
            case .failed(let error):
                metadata["error.type"] = .string(error.type)
                metadata["error"] = .string(error.description.withoutSecrets.withoutControls)
                return "image request failed"
            case .diskFailed(let failure):
                metadata["error"] = .string("\(failure)".withoutControls)
                return "the disk cache of images failed"
            case .worker(let event):
                metadata["event"] = .string("\(event)".withoutControls)
                return "a worker process of the image decoder"
            case .succeeded(let source):
                metadata["source"] = .string(source.rawValue)
                return "image request succeeded"
            case .cancelled: return "image request cancelled"
            default: return "image request: \(kind)"
            }
        }

        private func isNew(_ kind: ImageLoadEvent.Kind) -> Bool {
            switch kind {
            case .diskFailed(let failure):
                return diskFailure.withLock { last in
                    defer { last = failure }
                    return last != failure
                }
            case .storedOnDisk:
                diskFailure.withLock { $0 = nil }
                return true
            default: return true
            }
        }
    }
#endif
