public import ImageCore

/// An observer that records the events of a loader. A test can await them.
public final class RecordingObserver: ImageLoaderObserver {
    private let watched = Watched<[ImageLoadEvent]>([])

    /// Creates an observer without events.
    public init() {}

    public func handle(_ event: ImageLoadEvent) { watched.change { $0.append(event) } }

    /// All events so far, in order.
    public var events: [ImageLoadEvent] { watched.value }

    /// Returns the kinds of the events of a request, or of all requests if `request` is nil.
    public func kinds(of request: UInt64? = nil) -> [ImageLoadEvent.Kind] {
        events.filter { request == nil || $0.requestID == request }.map(\.kind)
    }

    /// Waits for an event of this kind, or until the task is cancelled.
    public func waitForEvent(_ kind: ImageLoadEvent.Kind, file: StaticString = #fileID, line: UInt = #line) async {
        await waitUntil({ $0.contains { $0.kind == kind } }, file: file, line: line)
    }

    /// Waits until the events satisfy `condition`, or until the task is cancelled. The condition must not call this
    /// observer.
    public func waitUntil(
        _ condition: @escaping @Sendable ([ImageLoadEvent]) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) async {
        await watched.waitUntil(condition, file: file, line: line)
    }
}
