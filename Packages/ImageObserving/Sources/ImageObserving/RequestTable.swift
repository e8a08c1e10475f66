package import ImageCore

/// The requests in progress of a loader, each with its timeline and a value of an observer.
package struct RequestTable<Value> {
    /// Further requests replace the older half, so that requests whose end is never told don't stay for ever.
    private let limit: Int
    private var requests: [UInt64: (timeline: RequestTimeline, value: Value)] = [:]

    package init(limit: Int = 100_000) { self.limit = limit }

    /// Adds a request before its first event. Does nothing without a request.
    package mutating func insert(_ request: UInt64?, _ value: Value) {
        guard let request else { return }
        if requests.count >= limit {
            for older in requests.keys.sorted().prefix(limit / 2) { requests[older] = nil }
        }
        requests[request] = (RequestTimeline(), value)
    }

    /// Adds an event to the timeline of its request, and removes the request if it is its last one.
    ///
    /// - Parameters:
    ///   - event: An event. Those of requests that are not in the table are ignored.
    ///   - body: Receives the value, the timeline with the event, and the stage that the event has ended.
    /// - Returns: The result of `body`, or nil for an ignored event.
    @discardableResult
    package mutating func handle<Result>(
        _ event: ImageLoadEvent, _ body: (inout Value, RequestTimeline, RequestTimeline.Stage?) -> Result
    ) -> Result? {
        guard let id = event.requestID, var request = requests.removeValue(forKey: id) else { return nil }
        let stage = request.timeline.handle(event)
        let result = body(&request.value, request.timeline, stage)
        if request.timeline.outcome == nil { requests[id] = request }
        return result
    }
}

extension RequestTable: Sendable where Value: Sendable {}
