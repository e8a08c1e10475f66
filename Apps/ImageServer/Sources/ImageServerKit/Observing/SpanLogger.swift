public import Logging
import Synchronization
public import Tracing

/// Gives each span an identity in the W3C format, and logs it when it ends.
///
/// Pass another `Tracer` to send spans to a tracing system.
public struct SpanLogger: Tracer {
    private let logger: Logger
    private let level: Logger.Level

    /// - Parameters:
    ///   - logger: Receives a message for each span.
    ///   - level: The level of the messages.
    public init(logger: Logger, level: Logger.Level = .debug) { (self.logger, self.level) = (logger, level) }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> LoggedSpan {
        let parent = context()
        var own = parent
        own.traceContext = parent.traceContext?.child() ?? TraceContext()
        return LoggedSpan(
            operationName, context: own, parent: parent.traceContext?.spanID, start: instant().nanosecondsSinceEpoch,
            logger: logger, level: level)
    }

    public func forceFlush() {}

    /// Does nothing: requests are read with `TraceContext`.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    /// Adds `traceparent` and `tracestate`.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.traceContext else { return }
        injector.inject(trace.parentField, forKey: "traceparent", into: &carrier)
        if !trace.state.isEmpty { injector.inject(trace.state, forKey: "tracestate", into: &carrier) }
    }
}

/// A span of `SpanLogger`.
public final class LoggedSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var failure: String?
        var hasEnded = false
    }

    public let context: ServiceContext
    private let parent: String?
    private let start: UInt64
    private let logger: Logger
    private let level: Logger.Level
    private let state: Mutex<State>

    init(
        _ name: String, context: ServiceContext, parent: String?, start: UInt64, logger: Logger, level: Logger.Level
    ) {
        (self.context, self.parent, self.start) = (context, parent, start)
        (self.logger, self.level) = (logger, level)
        state = Mutex(State(name: name))
    }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    public var isRecording: Bool { state.withLock { !$0.hasEnded } }

    public func setStatus(_ status: SpanStatus) {
        if status.code == .error { state.withLock { $0.failure = status.message ?? "error" } }
    }

    public func addEvent(_ event: SpanEvent) {}

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.failure = "\(error)" }
    }

    public func addLink(_ link: SpanLink) {}

    /// Logs the span. Further calls have no effect.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended: State? = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let ended else { return }
        let end = instant().nanosecondsSinceEpoch
        var metadata: Logger.Metadata = [
            "span": "\(ended.name)", "trace": "\(context.traceContext?.traceID ?? "")",
            "id": "\(context.traceContext?.spanID ?? "")", "ms": "\(Double(end > start ? end - start : 0) / 1e6)",
        ]
        if let parent { metadata["parent"] = "\(parent)" }
        if let failure = ended.failure { metadata["error"] = "\(failure)" }
        logger.log(level: level, "span", metadata: metadata)
    }
}
