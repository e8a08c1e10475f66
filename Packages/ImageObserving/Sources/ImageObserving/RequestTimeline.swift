public import ImageCore

/// Finds the stages of a request in its events.
///
/// Create one for each request, and pass it the events of this request in order.
public struct RequestTimeline: Sendable {
    /// A stage that has ended. Times are since the start of the request.
    public struct Stage: Hashable, Sendable {
        /// What took time.
        public var name: RequestStage
        /// The start.
        public var start: Duration
        /// The end.
        public var end: Duration
        /// Whether it ended with a result. If not, it failed, was interrupted, or was cancelled.
        public var isComplete: Bool

        /// The time that it took.
        public var time: Duration { end - start }
    }

    /// The stage in progress; nil for none. At most one is, because the stages of a request follow each other.
    private(set) var current: RequestStage?
    /// How the request has ended: the source of its image, `failed` or `cancelled`. Nil while it is in progress.
    public private(set) var outcome: String?
    private var start = Duration.zero

    /// Creates the timeline of a request without events.
    public init() {}

    /// Adds an event. Returns the stage that it has ended; nil for none.
    public mutating func handle(_ event: ImageLoadEvent) -> Stage? {
        switch event.kind {
        case .started: begin(.lookup, event)
        case .queued, .deferred, .waitingForNetwork: begin(.queue, event)
        case .downloadStarted: begin(.download, event)
        case .decodingStarted: begin(.decode, event)
        case .processingStarted: begin(.process, event)
        case .diskMiss(.notAnImage): end(event, isComplete: false)
        case .diskHit, .diskMiss, .staleHit, .validated, .downloadFinished, .decoded, .processed: end(event)
        case .joined: end(event, as: current == .lookup ? .join : nil)
        case .succeeded, .failed, .cancelled: endOfRequest(event)
        default: nil
        }
    }

    /// Begins a stage. Returns the one before, which is complete only if it waited for a slot.
    private mutating func begin(_ stage: RequestStage, _ event: ImageLoadEvent) -> Stage? {
        // Work that needs no disk cache: there was no lookup.
        let ended = current == .lookup ? nil : end(event, isComplete: current == .queue)
        current = stage
        start = event.elapsed
        return ended
    }

    /// Ends the last stage. A request whose lookup has no end has found its image in memory, or at another request.
    private mutating func endOfRequest(_ event: ImageLoadEvent) -> Stage? {
        outcome = event.kind.outcome
        defer { current = nil }
        return current == .lookup ? nil : end(event, isComplete: false)
    }

    private mutating func end(
        _ event: ImageLoadEvent, as name: RequestStage? = nil, isComplete: Bool = true
    ) -> Stage? {
        guard let stage = name ?? current else { return nil }
        current = nil
        return Stage(name: stage, start: start, end: event.elapsed, isComplete: isComplete)
    }
}

extension ImageLoadEvent.Kind {
    /// How the request has ended, if this is its last event.
    var outcome: String? {
        switch self {
        case .succeeded(let source): source.rawValue
        case .failed: "failed"
        case .cancelled: "cancelled"
        default: nil
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
