import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells one request's events to the books, and to the observer if there is one.
struct EventSink: Sendable {
    private let books: StatisticsBooks
    private let uptime: @Sendable () -> Duration
    private let start: Duration
    private let observer: (any ImageLoaderObserver)?
    private let request: UInt64
    private let url: URL?

    /// The request begins now.
    init(_ loader: ImageLoader, request: UInt64, url: URL?) {
        books = loader.books
        uptime = loader.governor.uptime
        start = uptime()
        observer = loader.configuration.observer
        self.request = request
        self.url = url
    }

    func send(_ kind: ImageLoadEvent.Kind) {
        let elapsed = uptime() - start
        books.change { $0.note(kind, at: elapsed) }
        observer?.loader(did: ImageLoadEvent(request: request, url: url, kind: kind, elapsed: elapsed))
    }

    private static let hit: [ImageLoadEvent.Kind] = [.started, .memoryHit, .succeeded(.memory)]

    /// Tells of a request that memory answered as soon as it was made: it took no time, and costs one hold of a lock.
    static func tellHit(_ loader: ImageLoader, url: URL?) {
        loader.books.change { statistics in
            for kind in hit { statistics.note(kind, at: .zero) }
        }
        guard let observer = loader.configuration.observer else { return }
        let request = loader.newID()
        for kind in hit { observer.loader(did: ImageLoadEvent(request: request, url: url, kind: kind)) }
    }

    /// Runs the rest of a request and tells how it ended: exactly one of succeeded, failed, cancelled. An answer or
    /// an error that was on its way when the task was cancelled is not delivered.
    func concluding<Value>(
        _ body: () async throws(ImageError) -> Value, source: (Value) -> ImageSource
    ) async throws(ImageError) -> Value {
        do throws(ImageError) {
            let value = try await body()
            if Task.isCancelled { throw ImageError.cancelled }
            send(.succeeded(source(value)))
            return value
        } catch {
            let error = Task.isCancelled ? .cancelled : error
            if case .cancelled = error { send(.cancelled) } else { send(.failed(error.description)) }
            throw error
        }
    }
}
