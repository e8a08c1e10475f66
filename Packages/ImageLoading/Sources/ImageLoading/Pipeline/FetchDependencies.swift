import ImageCore
import Synchronization

/// A closure of `ImageOrigin.fetch` that runs.
final class RunningFetch: Sendable {
    /// The fetch whose closure makes the current request, also from tasks that the closure creates.
    @TaskLocal static var current: RunningFetch?

    let loader: ImageLoader
    let original: OriginalKey
    private let hasEnded = Atomic(false)

    private init(_ original: OriginalKey, _ loader: ImageLoader) {
        self.original = original
        self.loader = loader
    }

    /// Whether a request may still have to end before the closure does.
    var isRunning: Bool { !hasEnded.load(ordering: .relaxed) }

    /// Calls the closure that fetches an original.
    static func run<Value: Sendable>(
        _ original: OriginalKey, for loader: ImageLoader, _ fetch: @Sendable () async throws -> Value
    ) async throws -> Value {
        let running = RunningFetch(original, loader)
        defer { running.hasEnded.store(true, ordering: .relaxed) }
        return try await $current.withValue(running, operation: fetch)
    }
}

/// The originals that running fetches wait for, by fetch.
struct FetchDependencies: Sendable {
    /// The number of requests of each fetch for each original.
    private var awaited: [OriginalKey: [OriginalKey: Int]] = [:]

    var isEmpty: Bool { awaited.isEmpty }

    /// Adds a request of a fetch. Returns false, and adds nothing, if the fetch would wait for itself.
    mutating func add(_ original: OriginalKey, by fetch: OriginalKey) -> Bool {
        if isAwaited(fetch, by: original) { return false }
        awaited[fetch, default: [:]][original, default: 0] += 1
        return true
    }

    mutating func remove(_ original: OriginalKey, by fetch: OriginalKey) {
        guard let count = awaited[fetch]?[original] else { return }
        awaited[fetch]?[original] = count > 1 ? count - 1 : nil
        if awaited[fetch]?.isEmpty == true { awaited[fetch] = nil }
    }

    /// Returns whether `other` is the same as `original`, or waits for it directly or through other fetches.
    private func isAwaited(_ original: OriginalKey, by other: OriginalKey) -> Bool {
        var (visited, next): (Set<OriginalKey>, [OriginalKey]) = ([], [other])
        while let fetch = next.popLast() {
            if fetch == original { return true }
            if visited.insert(fetch).inserted, let awaited = awaited[fetch] { next += awaited.keys }
        }
        return false
    }
}

/// A request of a running fetch for an original. Its release ends the dependency.
private final class FetchDependency {
    private let fetch: RunningFetch
    private let awaited: OriginalKey

    /// Throws `ImageError.circularFetch` if the fetch would wait for itself.
    init(_ fetch: RunningFetch, on awaited: OriginalKey) throws(ImageError) {
        guard fetch.loader.fetchDependencies.withLock({ $0.add(awaited, by: fetch.original) }) else {
            throw .circularFetch
        }
        self.fetch = fetch
        self.awaited = awaited
    }

    deinit { fetch.loader.fetchDependencies.withLock { $0.remove(awaited, by: fetch.original) } }
}

extension ImageLoader {
    /// Waits for the result of a request. Throws `ImageError.circularFetch` if a fetch makes the request and the result
    /// depends on that fetch, because both would wait for ever.
    func awaitingResult<Value: Sendable>(
        for context: RequestContext, _ body: () async throws -> Value
    ) async throws -> Value {
        let dependency = try dependency(of: context)
        defer { withExtendedLifetime(dependency) {} }
        return try await body()
    }

    /// Returns nil if no fetch makes the request, or its result can't depend on that fetch.
    private func dependency(of context: RequestContext) throws(ImageError) -> FetchDependency? {
        guard let fetch = RunningFetch.current, fetch.loader === self, fetch.isRunning, !context.cacheUse.isCacheOnly
        else { return nil }
        return try FetchDependency(fetch, on: context.original)
    }
}
