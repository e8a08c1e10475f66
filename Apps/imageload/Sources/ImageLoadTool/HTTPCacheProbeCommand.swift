import ArgumentParser
import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageLoaderKit
import ImageTransportCaching
import Synchronization

struct HTTPCacheProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-cache-probe", abstract: "Answer HTTP requests through the cache, for test suites.",
        discussion: """
            Reads one JSON object a line: id, method, url, headers (pairs), body, redirect (follow, manual) and cache (a mode of the \
            Fetch standard). Writes one a line, in any order: id, status, headers, bodyBase64 and fromCache (network, disk, \
            validated, stale), or id and error. The rules are those of RFC 9111 alone: nothing is fresh that the origin says \
            nothing about.
            """)

    @Option(help: "Folder of the disk cache.")
    var cache: String

    func run() async throws {
        let background = BackgroundWork()
        let rules = CachingRules(
            policy: RFC9111Policy(negativeLifetime: nil),
            // Apart from what a loader keeps in the same folder: here bodies are stored as they are coded.
            identity: { CacheIdentity(authorization: $0[.authorization], partition: "http-cache-probe") },
            inBackground: { background.start($1) },
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

    /// Standard input, read on a thread of its own.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Validations that go on behind answers.
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

    /// Returns when all that was started before has ended.
    func finished() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }
}

/// Whole lines on standard output, one after the other, off the threads that answer.
private struct OrderedOutput: Sendable {
    private let queue = DispatchQueue(label: "output")

    func write(_ line: String) { queue.async { Console.output(line) } }

    /// Returns when all that was written before is out.
    func finished() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
