import ArgumentParser
import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageLoaderKit
import Synchronization

struct HTTPCacheProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-cache-probe", abstract: "Answer HTTP requests through the cache, for test suites.",
        discussion: """
            Reads one JSON object per line: id, method, url, headers (pairs), body, redirect (follow, manual) and cache (a \
            mode of the Fetch standard). Writes one JSON object per line, in any order: id, status, headers, bodyBase64 and \
            fromCache (network, disk, validated, stale), or id and error. Follows RFC 9111 strictly: a response without \
            freshness information is not fresh.
            """)

    @Option(help: "The folder of the disk cache.")
    var cache: String

    func run() async throws {
        let background = BackgroundWork()
        let rules = CachingRules(
            policy: RFC9111Policy(negativeLifetime: nil),
            // Separates these entries from a loader's in the same folder: their bodies are stored with their content coding.
            identity: { CacheIdentity(authorization: $0[.authorization], partition: "http-cache-probe") },
            runInBackground: { background.start($1) },
            observer: { if case .cacheFailed(_, let failure) = $0 { Console.error("the cache failed: \(failure)") } })
        let folder = CacheFolder.url(cache)
        let probe = HTTPCacheProbe(
            transport: ImageLoaderOptions(cacheDirectory: folder).makeCachingTransport(in: folder, rules: rules))
        let output = OrderedOutput()
        await withDiscardingTaskGroup { group in
            for await line in Self.lines() where !line.isEmpty {
                group.addTask { output.write(await probe.reply(to: line)) }
            }
        }
        await background.finished()
        await output.finished()
    }

    /// The lines of standard input, read on a separate thread.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Validations that continue after the response was returned.
private final class BackgroundWork: Sendable {
    private struct State {
        var lastID = 0
        var running: [Int: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.lastID += 1
            state.running[state.lastID] = Task { [id = state.lastID] in
                await work()
                self.state.withLock { $0.running[id] = nil }
            }
        }
    }

    /// Waits until all work started so far has ended.
    func finished() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }
}

/// Writes whole lines to standard output in order, without blocking the tasks that handle requests.
private struct OrderedOutput: Sendable {
    private let queue = DispatchQueue(label: "output")

    func write(_ line: String) { queue.async { Console.output(line) } }

    /// Waits until all lines are written.
    func finished() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
