public import ImageCore

/// Keeps every event that a loader tells, in order, and lets a test await that so many have come.
public final class RecordingObserver: ImageLoaderObserver {
    private let watched = Watched<[ImageLoadEvent]>([])

    public init() {}

    public func handle(_ event: ImageLoadEvent) { watched.change { $0.append(event) } }

    /// What has been told so far.
    public var events: [ImageLoadEvent] { watched.value }

    /// The kinds of the events of one request, or of all.
    public func kinds(of request: UInt64? = nil) -> [ImageLoadEvent.Kind] {
        events.filter { request == nil || $0.request == request }.map(\.kind)
    }

    /// Returns the first `count` events as soon as there are so many.
    public func events(_ count: Int) async -> [ImageLoadEvent] {
        await reaches { $0.count >= count }
        return Array(events.prefix(count))
    }

    /// Returns as soon as an event of this kind has come.
    public func event(_ kind: ImageLoadEvent.Kind) async { await reaches { $0.contains { $0.kind == kind } } }

    /// Returns as soon as what has been told satisfies `condition`, which must not call this observer; or, as all that waits here, when
    /// the task is cancelled.
    public func reaches(_ condition: @escaping @Sendable ([ImageLoadEvent]) -> Bool) async {
        await watched.reaches(condition)
    }
}
