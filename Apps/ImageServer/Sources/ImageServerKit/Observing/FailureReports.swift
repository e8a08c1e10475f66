import ImageCore
import Logging
import Synchronization

/// Logs failures of a cache. A failure that repeats, such as a full disk, is logged once a minute.
final class FailureReports: Sendable {
    private struct Kind {
        var lastReport: Duration
        var suppressed = 0
    }

    private static let interval = Duration.seconds(60)
    private let elapsed: @Sendable () -> Duration
    private let kinds = Mutex<[String: Kind]>([:])

    init(clock: any Clock<Duration>) { elapsed = elapsedTime(of: clock) }

    /// Logs a failure, unless one of its kind was logged within the last minute.
    func report(_ message: Logger.Message, _ failure: DataCacheError, _ details: Logger.Metadata, to logger: Logger) {
        guard let suppressed = suppressedReports(of: failure.kind, at: elapsed()) else { return }
        var metadata = details
        metadata["error"] = "\(failure)"
        if suppressed > 0 { metadata["repeated"] = "\(suppressed)" }
        logger.warning(message, metadata: metadata)
    }

    /// Returns the number of reports since the last one that was logged; nil if this one must not be logged.
    private func suppressedReports(of kind: String, at now: Duration) -> Int? {
        kinds.withLock { kinds in
            guard let last = kinds[kind], now - last.lastReport < Self.interval else {
                return kinds.updateValue(Kind(lastReport: now), forKey: kind)?.suppressed ?? 0
            }
            kinds[kind]?.suppressed += 1
            return nil
        }
    }
}

extension DataCacheError {
    /// The name of the case, because the texts of others name files.
    fileprivate var kind: String {
        switch self {
        case .noSpace: "noSpace"
        case .inaccessible: "inaccessible"
        case .tooLarge: "tooLarge"
        case .conflictingOptions: "conflictingOptions"
        case .io: "io"
        case .other: "other"
        @unknown default: "other"
        }
    }
}
