import Foundation
import HTTPTypes
package import Logging
import Synchronization
import Tracing

/// Makes the spans of the server and of its loader, in the traces of their callers (W3C Trace Context).
struct ServerTracer: Tracer {
    /// The share of traces that are recorded, from 0 to 1.
    var sampleRatio = 0.0
    /// Whether clients decide about their own traces. If not, the share counts for these, too.
    var trustsParents = false
    let now: @Sendable () -> Date
    /// Receives the recorded spans when they end. Nil to record none: then spans only have an identity for the log.
    var receive: (@Sendable (FinishedSpan) -> Void)?

    /// Whether spans are recorded. If not, origins needn't learn of traces.
    var isRecording: Bool { receive != nil }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        let context = context()
        let trace = context.trace?.child() ?? TraceContext(isSampled: isChosen())
        return RecordedSpan(
            operationName, context, trace, kind, start: instant().nanosecondsSinceEpoch, now: now,
            receive: trace.isSampled ? receive : nil)
    }

    /// Starts a span now.
    func start(_ name: String, in trace: TraceContext?, _ kind: SpanKind = .internal) -> RecordedSpan {
        var context = ServiceContext.topLevel
        context.trace = trace
        return startSpan(name, context: context, ofKind: kind, at: SpanTime(now()))
    }

    /// Starts the span of a request of a client, in the trace of the client.
    func start(_ request: ServerRequest) -> RecordedSpan {
        var trace = TraceContext(request.headers)
        if !trustsParents { trace?.isSampled = isChosen() }
        return start(request.method.rawValue, in: trace, .server)
    }

    /// Whether a trace is recorded. It doesn't depend on the identity of the trace, because clients can choose that.
    private func isChosen() -> Bool { Double.random(in: 0..<1) < sampleRatio }

    /// Runs work in a span.
    func traced<Value: Sendable>(
        _ name: String, in trace: TraceContext, _ body: (RecordedSpan) async throws -> Value
    ) async rethrows -> Value {
        let span = start(name, in: trace)
        defer { span.end() }
        do {
            return try await ServiceContext.$current.withValue(span.context) { try await body(span) }
        } catch {
            span.fail(ServiceFailure(error))
            throw error
        }
    }

    /// Adds the stages of a rendering, which follow each other, as children of its span.
    func addStages(_ times: StageTimes, to span: RecordedSpan) {
        var time = SpanTime(nanosecondsSinceEpoch: span.start)
        for stage in RenderingStage.allCases {
            guard let duration = times[stage], duration > .zero else { continue }
            let child = startSpan(stage.rawValue, context: span.context, at: time)
            time.nanosecondsSinceEpoch += UInt64(duration.seconds * 1e9)
            child.end(at: time)
        }
    }

    /// Ends the span of a request with what its response says.
    func end(_ span: RecordedSpan, _ request: ServerRequest, _ response: ServerResponse) {
        span.updateAttributes { attributes in
            attributes["http.request.method"] = request.method.rawValue
            attributes["url.scheme"] = "http"
            attributes["url.path"] = LoggedPath.text(request.path)
            attributes["http.response.status_code"] = response.status
            attributes["image.cache"] = response.headers[.cacheLevel]
            attributes["error.type"] = response.failure?.reason
        }
        // What a client did wrong is no error of the server.
        if response.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }

    /// Spans are sent by their exporter.
    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        var fields = HTTPFields()
        for name in [HTTPField.Name.traceparent, .tracestate] {
            fields[name] = extractor.extract(key: name.canonicalName, from: carrier)
        }
        context.trace = TraceContext(fields)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        var fields = HTTPFields()
        context.trace?.set(in: &fields)
        for field in fields { injector.inject(field.value, forKey: field.name.canonicalName, into: &carrier) }
    }
}

/// A time of a span.
struct SpanTime: TracerInstant {
    var nanosecondsSinceEpoch: UInt64

    init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

    init(_ time: Date) { nanosecondsSinceEpoch = UInt64(max(0, time.timeIntervalSince1970) * 1e9) }

    static func < (lhs: SpanTime, rhs: SpanTime) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
}

extension ServiceContext {
    private enum TraceKey: ServiceContextKey { typealias Value = TraceContext }

    /// The trace and the current span.
    var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds the identity of the trace to the messages of a request.
    package static let trace = Logger.MetadataProvider {
        ServiceContext.current?.trace.map { ["trace": .string($0.traceID)] } ?? [:]
    }
}
