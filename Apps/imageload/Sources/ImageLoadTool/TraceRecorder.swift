import Foundation
import ImageCore
import ImageObserving
import Synchronization

/// Records the stages of all requests in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing
/// show. Each request is a thread.
final class TraceRecorder: ImageLoaderObserver {
    /// A complete event (`X`) or a name (`M`). Times are microseconds.
    struct Event: Codable {
        var name: String
        var cat = "image"
        var ph = "X"
        var ts = 0.0
        var dur: Double?
        var pid = 1
        var tid: UInt64
        var args: [String: String] = [:]

        var end: Double { ts + (dur ?? 0) }
    }

    private struct State {
        /// The requests in progress with their starts.
        var requests = RequestTable<Duration>()
        var events: [Event] = []
    }

    private struct File: Codable {
        var traceEvents: [Event]
        var displayTimeUnit = "ms"
    }

    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter uptime: Returns the time since the start of the trace.
    init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    func handle(_ event: ImageLoadEvent) {
        guard let request = event.requestID else { return }
        let time = uptime()
        state.withLock { state in
            if event.kind == .started {
                state.requests.insert(request, time)
                state.events.append(
                    Event(name: "thread_name", ph: "M", tid: request, args: ["name": event.address]))
            }
            guard let (start, timeline, stage) = state.requests.handle(event, { ($0, $1, $2) }) else { return }
            if let stage { state.events.append(Event(stage, of: request, from: start)) }
            guard let end = timeline.outcome else { return }
            state.events.append(
                Event(
                    name: "request", ts: start.microseconds, dur: event.elapsed.microseconds,
                    tid: request, args: ["url": event.address, "end": end]))
        }
    }

    /// The trace as JSON. A request is before its stages, because viewers nest events in this order.
    func json() throws -> Data {
        let events = state.withLock { $0.events }.sorted { ($0.ts, $1.end) < ($1.ts, $0.end) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(File(traceEvents: events))
    }
}

extension TraceRecorder.Event {
    fileprivate init(_ stage: RequestTimeline.Stage, of request: UInt64, from start: Duration) {
        self.init(
            name: stage.name.rawValue, ts: (start + stage.start).microseconds, dur: stage.time.microseconds,
            tid: request, args: stage.isComplete ? [:] : ["end": "incomplete"])
    }
}

extension ImageLoadEvent {
    fileprivate var address: String { url?.withoutSecrets ?? "" }
}

extension Duration {
    fileprivate var microseconds: Double { self / .microseconds(1) }
}
