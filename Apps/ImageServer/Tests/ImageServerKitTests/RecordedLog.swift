import Logging
import Synchronization

/// A logger that keeps its messages.
final class RecordedLog: Sendable {
    private let events = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

    var messages: [String] { events.withLock { $0.map(\.message) } }
    var metadata: [Logger.Metadata] { events.withLock { $0.map(\.metadata) } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.events.withLock { $0.append(("\(event.message)", event.metadata ?? [:])) }
        }
    }
}
