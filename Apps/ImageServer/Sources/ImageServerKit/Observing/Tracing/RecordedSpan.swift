import Foundation
import ImageCore
import Synchronization
import Tracing

/// A span that is complete.
struct FinishedSpan: Sendable {
    var name: String
    let trace: TraceContext
    /// The identity of the parent's span; nil if there is none.
    let parent: String?
    let kind: SpanKind
    /// Nanoseconds since 1970.
    let start: UInt64
    var end: UInt64
    var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    var isFailed = false
}

extension SpanAttributes {
    /// The most bytes of a text in UTF-8, so that the spans that wait for the collector have bounded memory.
    static let textLimit = 1_000

    /// Cuts long texts, such as URLs.
    fileprivate mutating func truncate() {
        var long: [String: String] = [:]
        forEach { name, value in
            if case .string(let text) = value, text.utf8.count > Self.textLimit { long[name] = text }
        }
        for (name, text) in long {
            self[name] = String(decoding: text.utf8.prefix(Self.textLimit - 6), as: UTF8.self) + "…"
        }
    }
}

/// A span of `ServerTracer`. Without a receiver, it only has an identity.
final class RecordedSpan: Span {
    let context: ServiceContext
    /// The identity of the span.
    let trace: TraceContext
    /// Nanoseconds since 1970.
    let start: UInt64
    private let state: Mutex<FinishedSpan?>
    private let now: @Sendable () -> Date
    private let receive: (@Sendable (FinishedSpan) -> Void)?

    /// - Parameters:
    ///   - parent: The context of the parent, if it has a trace.
    ///   - receive: Receives the span when it ends; nil to record nothing.
    init(
        _ name: String, _ parent: ServiceContext, _ trace: TraceContext, _ kind: SpanKind, start: UInt64,
        now: @escaping @Sendable () -> Date, receive: (@Sendable (FinishedSpan) -> Void)?
    ) {
        var context = parent
        context.trace = trace
        self.context = context
        self.trace = trace
        self.start = start
        self.now = now
        self.receive = receive
        let span = FinishedSpan(
            name: name, trace: trace, parent: parent.trace?.spanID, kind: kind, start: start, end: start)
        state = Mutex(receive == nil ? nil : span)
    }

    var isRecording: Bool { state.withLock { $0 != nil } }

    var operationName: String {
        get { state.withLock { $0?.name ?? "" } }
        set { state.withLock { $0?.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0?.attributes ?? [:] } }
        set { state.withLock { $0?.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { state.withLock { $0?.isFailed = status.code == .error } }

    func addEvent(_ event: SpanEvent) { state.withLock { $0?.events.append(event) } }

    /// Links are not recorded.
    func addLink(_ link: SpanLink) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        updateAttributes { $0["error.type"] = "\(type(of: error))" }
    }

    /// Sets the status and the type of a failure. A cancelled span is no error.
    func fail(_ failure: ServiceFailure) {
        updateAttributes { $0["error.type"] = failure.reason }
        if case .cancelled = failure { return }
        setStatus(SpanStatus(code: .error))
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        let ended = state.withLock { state in
            defer { state = nil }
            return state
        }
        guard var ended else { return }
        ended.end = max(end, ended.start)
        ended.attributes.truncate()
        receive?(ended)
    }

    /// Ends the span now. Further ends have no effect.
    func end() { end(at: SpanTime(now())) }
}
