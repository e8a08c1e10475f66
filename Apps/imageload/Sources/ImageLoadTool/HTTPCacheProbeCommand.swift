import ArgumentParser
import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageLoaderKit

struct HTTPCacheProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-cache-probe", abstract: "Answer HTTP requests through the cache, for test suites.",
        discussion: """
            Reads one JSON object per line: id, method, url, headers (pairs), body, redirect (follow, manual) and \
            cache (a mode of the Fetch standard). Writes one JSON object per line, in any order: id, status, headers, \
            bodyBase64 and fromCache (network, disk, validated, stale), or id and error. Follows RFC 9111 strictly: a \
            response without freshness information is not fresh.
            """, shouldDisplay: false)

    @Option(help: "The folder of the disk cache.", completion: .file())
    var cache: String

    func run() async throws {
        // Validations that continue after the response was returned.
        let (validations, background) = AsyncStream<@Sendable () async -> Void>.makeStream()
        let options = CachingOptions(
            policy: RFC9111Policy(negativeLifetime: nil),
            // Separates these entries from a loader's in the same folder: their bodies are stored with their content
            // coding.
            identity: { fields, _ in CacheIdentity(fields, partition: "http-cache-probe") },
            runInBackground: { background.yield($1) },
            observer: { if case .cacheFailed(_, let failure) = $0 { Console.error("the cache failed: \(failure)") } })
        let folder = CacheFolder.url(cache)
        let probe = HTTPCacheProbe(
            transport: ImageLoaderOptions(cacheDirectory: folder).makeCachingTransport(in: folder, options: options))
        let output = OrderedOutput()
        async let validated: Void = withDiscardingTaskGroup { group in
            for await validation in validations { group.addTask { await validation() } }
        }
        await withDiscardingTaskGroup { group in
            for await line in Self.lines() where !line.isEmpty {
                group.addTask { output.write(await probe.reply(to: line)) }
            }
        }
        background.finish()
        await validated
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

/// Writes whole lines to standard output in order, without blocking the tasks that handle requests.
private struct OrderedOutput: Sendable {
    private let queue = DispatchQueue(label: "output")

    func write(_ line: String) { queue.async { Console.output(line) } }

    /// Waits until all lines are written.
    func finished() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
