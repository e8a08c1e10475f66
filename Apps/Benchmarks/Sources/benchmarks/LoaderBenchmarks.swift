import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting
import Synchronization

/// Processor time of one piece of work, and of what it is put beside, in the same run and by turns.
struct LoaderFigure: Encodable {
    var name: String
    /// Of all threads; the least of all rounds, as are the others.
    var microseconds: Double
    /// The same work in plain tasks, or with fewer works waiting.
    var besideMicroseconds: Double
    var beside: String

    static let heading =
        "loader, processor time of one".padding(toLength: 52, withPad: " ", startingAt: 0) + "     ours    beside"

    var line: String {
        name.padding(toLength: 52, withPad: " ", startingAt: 0)
            + String(format: "%6.2f µs %6.2f µs  ", microseconds, besideMicroseconds) + beside
    }
}

/// What the coordination of loads costs: everything but bytes and pixels, which are fake and quick.
enum LoaderBenchmarks {
    private static let requestCount = 2_000
    private static let waiterCount = 10_000

    @concurrent
    static func run(rounds: Int = 9) async throws -> [LoaderFigure] {
        var (request, plainRequest) = (Double.infinity, Double.infinity)
        var (waiter, plainWaiter) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            request = min(request, try await requests())
            plainRequest = min(plainRequest, try await plainRequests())
            waiter = min(waiter, try await waiters())
            plainWaiter = min(plainWaiter, try await plainWaiters())
        }
        return [
            LoaderFigure(
                name: "request: fake transport, fake decoder", microseconds: request,
                besideMicroseconds: plainRequest, beside: "send, collect and decode in a plain task"),
            LoaderFigure(
                name: "further waiter for the same picture", microseconds: waiter, besideMicroseconds: plainWaiter,
                beside: "a plain task that waits for a continuation"),
        ] + queues(rounds: rounds)
    }

    // MARK: Requests

    private static func requests() async throws -> Double {
        let loader = makeLoader(InstantTransport())
        let requests = (0..<requestCount).compactMap(makeRequest)
        return try await Stopwatch.processorMicroseconds {
            for request in requests { _ = try await Task { try await loader.image(for: request) }.value }
        } / Double(requests.count)
    }

    private static func plainRequests() async throws -> Double {
        let (transport, decoder) = (InstantTransport(), InstantDecoder())
        let requests = (0..<requestCount).compactMap(makeRequest).compactMap(\.url)
        return try await Stopwatch.processorMicroseconds {
            for url in requests {
                let task = Task {
                    let body = try await transport.send(TransportRequest(url: url)).body
                    let data = try await body.collected(expectedBytes: nil, limit: 1_000)
                    return try decoder.decode(data, request: DecodingRequest(), isCancelled: { false })
                }
                _ = try await task.value
            }
        } / Double(requests.count)
    }

    // MARK: Waiters

    /// All wait for one download, which a gate holds until the last has joined.
    private static func waiters() async throws -> Double {
        let gate = Gate()
        let coalescer = SharedWorkCoalescer<ImageJobKey, LoadedImage>()
        let loader = makeLoader(InstantTransport(gate: gate), imageCoalescer: coalescer)
        guard let request = makeRequest(0) else { return .infinity }
        let first = Task { try await loader.image(for: request) }
        await gate.arrivals(1)
        let time = try await Stopwatch.processorMicroseconds {
            let tasks = (0..<waiterCount).map { _ in Task { try await loader.image(for: request) } }
            while coalescer.waiterCount <= waiterCount { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            for task in tasks { _ = try await task.value }
        }
        _ = try await first.value
        return time / Double(waiterCount)
    }

    private static func plainWaiters() async throws -> Double {
        let waiting = Waiting()
        return try await Stopwatch.processorMicroseconds {
            let tasks = (0..<waiterCount).map { _ in Task { await waiting.wait() } }
            while waiting.count < waiterCount { try await Task.sleep(for: .milliseconds(1)) }
            waiting.letGo()
            for task in tasks { _ = await task.value }
        } / Double(waiterCount)
    }

    // MARK: Queues

    /// What it costs to move and to cancel each of 100,000 works that wait, beside each of 10,000.
    private static func queues(rounds: Int) -> [LoaderFigure] {
        var moved = [10_000: Double.infinity, 100_000: .infinity]
        var cancelled = moved
        for _ in 0..<rounds {
            for count in [10_000, 100_000] {
                let (move, cancel) = queue(count)
                moved[count] = min(moved[count, default: move], move)
                cancelled[count] = min(cancelled[count, default: cancel], cancel)
            }
        }
        return [("reprioritised", moved), ("cancelled", cancelled)].map { name, times in
            LoaderFigure(
                name: "\(name) among 100,000 that wait", microseconds: times[100_000, default: .infinity],
                besideMicroseconds: times[10_000, default: .infinity], beside: "among 10,000")
        }
    }

    private static func queue(_ count: Int) -> (moved: Double, cancelled: Double) {
        let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 0, perHostLimit: 6)])
        let ids = (0..<count).map { number in
            scheduler.enqueue(ScheduledWork(lane: .download, host: "\(number % 100).example") {})
        }
        let moved = Stopwatch.processorMilliseconds {
            for id in ids { scheduler.setPriority(id.rawValue.isMultiple(of: 2) ? .high : .low, of: id) }
        }
        let cancelled = Stopwatch.processorMilliseconds {
            for id in ids { scheduler.cancel(id) }
        }
        precondition(scheduler.waitingCount == 0, "each must have waited")
        return (moved * 1_000 / Double(count), cancelled * 1_000 / Double(count))
    }

    // MARK: Parts

    private static func makeRequest(_ number: Int) -> ImageRequest? {
        URL(string: "https://pictures.example.org/albums/17/photos/\(number).jpg").map { ImageRequest(url: $0) }
    }

    private static func makeLoader(
        _ transport: InstantTransport,
        imageCoalescer: SharedWorkCoalescer<ImageJobKey, LoadedImage> = SharedWorkCoalescer()
    ) -> ImageLoader {
        ImageLoader(
            ImageLoaderConfiguration(
                memoryCache: nil, responseCache: nil, transport: transport, decoder: InstantDecoder(),
                scheduler: PriorityScheduler(lanes: [
                    .download: LaneConfiguration(limit: 6, perHostLimit: 6), .decode: LaneConfiguration(limit: 2),
                ]),
                imageCoalescer: imageCoalescer, dataCoalescer: SharedWorkCoalescer(),
                retryPolicy: RetryPolicy(retries: 0) { 0 }, clock: ContinuousClock()))
    }
}

/// Answers every request at once, with a few bytes.
private struct InstantTransport: DataTransport {
    var gate: Gate?

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        await gate?.pass()
        let piece = Piece()
        let body = TransportBody(pull: { () async throws(TransportFailure) in piece.take() })
        return TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: body)
    }
}

private final class Piece: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Data? { isTaken.exchange(true, ordering: .relaxed) ? nil : Data([1, 2, 3, 4]) }
}

private struct InstantDecoder: SizedImageDecoder {
    private let image = DecodedImage(
        bitmap: Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255], isOpaque: true),
        header: ImageHeader(format: .png, storedSize: PixelSize(width: 1, height: 1)))

    func header(of data: Data) throws(DecodingFailure) -> ImageHeader { image.header }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        image
    }
}

/// Tasks that wait for one moment, in the plainest way.
private final class Waiting: Sendable {
    private let continuations = Mutex<[CheckedContinuation<Void, Never>]>([])

    var count: Int { continuations.withLock { $0.count } }

    func wait() async {
        await withCheckedContinuation { continuation in continuations.withLock { $0.append(continuation) } }
    }

    func letGo() {
        let waiting = continuations.withLock { continuations in
            defer { continuations = [] }
            return continuations
        }
        for continuation in waiting { continuation.resume() }
    }
}
