import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells one request's events to the books, and to the observer if there is one.
final class EventSink: Sendable {
    private let loader: ImageLoader
    private let start: Duration
    private let request: UInt64
    private let url: URL?

    /// The request begins now.
    init(_ loader: ImageLoader, request: UInt64, url: URL?) {
        self.loader = loader
        start = loader.governor.uptime()
        self.request = request
        self.url = url
        tell(.started)
    }

    /// Whether anybody is told.
    var isObserved: Bool { loader.configuration.observer != nil }

    /// Counts what happened, and tells it. Without an observer, only ends need to know the time.
    func send(_ kind: ImageLoadEvent.Kind) {
        let observer = loader.configuration.observer
        let elapsed = observer != nil || kind.isEnd ? loader.governor.uptime() - start : .zero
        loader.books.change { $0.note(kind, at: elapsed) }
        observer?.loader(did: ImageLoadEvent(request: request, url: url, kind: kind, elapsed: elapsed))
    }

    /// Tells what nobody counts. Without an observer it costs nothing: `kind` is not made, and no clock read.
    func tell(_ kind: @autoclosure () -> ImageLoadEvent.Kind) {
        guard let observer = loader.configuration.observer else { return }
        let elapsed = loader.governor.uptime() - start
        observer.loader(did: ImageLoadEvent(request: request, url: url, kind: kind(), elapsed: elapsed))
    }

    private static let hit: [ImageLoadEvent.Kind] = [.started, .memoryHit, .succeeded(.memory)]

    /// Tells of a request that memory answered as soon as it was made: it took no time, and costs one hold of a lock.
    ///
    /// - Parameter request: its name, if it has one already.
    static func tellHit(_ loader: ImageLoader, request: UInt64?, url: URL?) {
        loader.books.change { statistics in
            for kind in hit { statistics.note(kind, at: .zero) }
        }
        guard let observer = loader.configuration.observer else { return }
        let request = request ?? loader.newID()
        for kind in hit { observer.loader(did: ImageLoadEvent(request: request, url: url, kind: kind)) }
    }

    /// Tells that the request was answered. Throws if it was cancelled: an answer that was on its way then is not delivered.
    ///
    /// Of this and `failed` exactly one is called, or both where this throws: exactly one of succeeded, failed and cancelled is told.
    func succeeded(from source: ImageSource, isCancelled: Bool) throws(ImageError) {
        if isCancelled { throw .cancelled }
        send(.succeeded(source))
    }

    /// Tells that the request failed, and how; an error that was on its way when it was cancelled is not delivered.
    func failed(_ error: any Error, isCancelled: Bool) -> ImageError {
        let error = isCancelled ? .cancelled : ImageError(error)
        if case .cancelled = error { send(.cancelled) } else { send(.failed(isObserved ? error.description : "")) }
        return error
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
