import ImageCore

/// One request on its way, with what is worked out once for all who need it.
final class Load: Sendable {
    let request: ImageRequest
    let original: OriginalName
    let events: EventSink

    init(_ request: ImageRequest, _ original: OriginalName, _ events: EventSink) {
        self.request = request
        self.original = original
        self.events = events
    }

    /// Another request for the same original, made for the sake of this one.
    init(_ request: ImageRequest, inPlaceOf load: Load) {
        self.request = request
        (original, events) = (load.original, load.events)
    }

    /// The key of the picture in memory.
    var key: ImageCacheKey { request.cacheKey(source: original.source) }
}
