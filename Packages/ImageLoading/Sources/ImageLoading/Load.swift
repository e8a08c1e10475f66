import ImageCore

/// One request on its way, which tells its events to the books, and to the observer if there is one. Whatever is done for the request
/// keeps it: while it lives, work on its original is under way.
final class Load: Sendable {
    let request: ImageRequest
    /// The picture's in memory.
    let key: ImageCacheKey
    let original: Original
    let route: FetchRoute
    private let beginning: ReloadLedger.Beginning
    let loader: ImageLoader
    /// When it began, on the governor's clock.
    private let start: Duration
    /// Its name, for observers and for what it makes.
    let id: UInt64

    /// The request begins now.
    init(_ loader: ImageLoader, _ request: ImageRequest, _ key: ImageCacheKey, id: UInt64) {
        self.loader = loader
        self.request = request
        self.key = key
        self.id = id
        original = request.original
        beginning = loader.workBegan(on: original)
        route = FetchRoute(request, original, lastReload: beginning.reload)
        start = loader.governor.uptime()
        tell(.started)
    }

    /// Another request for the same original, made for the sake of this one.
    init(_ request: ImageRequest, inPlaceOf load: Load) {
        self.request = request
        key = request.cacheKey
        (original, loader, start, id) = (load.original, load.loader, load.start, load.id)
        beginning = loader.workBegan(on: original)
        route = FetchRoute(request, original, lastReload: beginning.reload)
    }

    deinit { loader.workEnded(beginning, on: original) }

    /// Counts what happened, and tells it. Without an observer, only ends need to know the time.
    ///
    /// - Parameter last: what happened after it at the same moment, if there is anything.
    func send(_ kind: ImageLoadEvent.Kind, _ last: ImageLoadEvent.Kind? = nil) {
        let isObserved = loader.isObserved
        let elapsed = isObserved || (last ?? kind).isEnd ? loader.governor.uptime() - start : .zero
        loader.books.change { books in
            books.note(kind, at: elapsed)
            if let last { books.note(last, at: elapsed) }
        }
        guard isObserved else { return }
        tell(kind, at: elapsed)
        if let last { tell(last, at: elapsed) }
    }

    /// Tells what nobody counts. Without an observer it costs nothing: `kind` is not made, and no clock read.
    func tell(_ kind: @autoclosure () -> ImageLoadEvent.Kind) {
        if loader.isObserved { tell(kind(), at: loader.governor.uptime() - start) }
    }

    private func tell(_ kind: ImageLoadEvent.Kind, at elapsed: Duration) {
        loader.configuration.observer?.loader(
            did: ImageLoadEvent(request: id, url: request.url, kind: kind, elapsed: elapsed))
    }

    /// What is to be told of an answer whose bytes came from the network with a transfer that another request began; otherwise nil.
    ///
    /// - Parameter maker: the request that began it.
    func joining(of maker: UInt64?, _ source: ImageSource, bytes: Int?) -> ImageLoadEvent.Kind? {
        guard source == .network, maker != id, let bytes else { return nil }
        return .joined(bytes: bytes)
    }

    /// Tells that the request was answered. Throws if it was cancelled: an answer that was on its way then is not delivered.
    ///
    /// Of this and `failed` exactly one is called, or both where this throws: exactly one of succeeded, failed and cancelled is told.
    ///
    /// - Parameter joining: what else is to be told of the answer.
    func succeeded(
        from source: ImageSource, _ joining: ImageLoadEvent.Kind? = nil, isCancelled: Bool
    ) throws(ImageError) {
        if isCancelled { throw .cancelled }
        if let joining { send(joining, .succeeded(source)) } else { send(.succeeded(source)) }
    }

    /// Tells that the request failed, and how; an error that was on its way when it was cancelled is not delivered.
    func failed(_ error: any Error, isCancelled: Bool) -> ImageError {
        let error = isCancelled ? .cancelled : ImageError(error)
        if case .cancelled = error {
            send(.cancelled)
        } else {
            send(.failed(loader.isObserved ? error.description : ""))
        }
        return error
    }
}

extension ImageLoader {
    private static let hit: [ImageLoadEvent.Kind] = [.started, .memoryHit, .succeeded(.memory)]

    /// Tells of a request that memory answered as soon as it was made: it took no time, and costs one hold of a lock.
    ///
    /// - Parameter id: its name, if it has one already.
    func tellHit(_ request: ImageRequest, id: UInt64? = nil) {
        books.change { statistics in
            for kind in Self.hit { statistics.note(kind, at: .zero) }
        }
        guard isObserved, let observer = configuration.observer else { return }
        let id = id ?? newID()
        for kind in Self.hit { observer.loader(did: ImageLoadEvent(request: id, url: request.url, kind: kind)) }
    }
}

extension ImageLoadEvent.Kind {
    /// True for the last event of a request.
    fileprivate var isEnd: Bool {
        switch self {
        case .succeeded, .failed, .cancelled: true
        default: false
        }
    }
}
