import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting
import Synchronization

/// What the coordination of loads costs: everything but bytes and pixels, which are fake and quick.
///
/// Processor time of all threads for one; the least of all rounds.
enum LoaderBenchmarks {
    private static let requestCount = 2_000

    @concurrent
    static func run(rounds: Int = 25) async throws -> [Figure] {
        var times = [Double](repeating: .infinity, count: 6)
        for _ in 0..<rounds {
            for (index, inTasks) in [false, true].enumerated() {
                let kinds = [
                    try await requests(inTasks: inTasks), try await plainRequests(inTasks: inTasks, partsInTasks: true),
                    try await plainRequests(inTasks: inTasks, partsInTasks: false),
                ]
                for (kind, time) in kinds.enumerated() {
                    times[index * 3 + kind] = min(times[index * 3 + kind], time)
                }
            }
        }
        let names = ["plain tasks, one each for picture, original and decoding", "send, collect and decode, no tasks"]
        func figure(_ name: String, from first: Int, goal: Double?) -> Figure {
            let others = names.enumerated().map { Figure.Other(value: times[first + 1 + $0], name: $1) }
            return Figure(name: name, value: times[first], unit: "µs", goal: goal, beside: others)
        }
        return [
            figure("request: fake transport, fake decoder", from: 0, goal: 15),
            figure("request in a task of its own", from: 3, goal: nil),
        ] + (try await WaiterBenchmarks.run(rounds: rounds)) + queues(rounds: rounds)
    }

    // MARK: Requests

    /// - Parameter inTasks: whether each request is made in a task of its own. Its threads then change with the requests, and what one
    ///   processor has at hand the other must fetch.
    private static func requests(inTasks: Bool) async throws -> Double {
        let loader = makeLoader(InstantTransport())
        let requests = (0..<requestCount).compactMap(makeRequest)
        return try await Stopwatch.processorMicroseconds {
            for request in requests {
                if inTasks {
                    _ = try await Task { try await loader.image(for: request) }.value
                } else {
                    _ = try await loader.image(for: request)
                }
            }
        } / Double(requests.count)
    }

    /// - Parameter partsInTasks: whether each part runs in a task of its own, for which the one before waits as the loader must: so
    ///   that others can join it, and that decoding is on threads of its own. Otherwise all of it is one function after the other.
    private static func plainRequests(inTasks: Bool, partsInTasks: Bool) async throws -> Double {
        let (transport, decoder) = (InstantTransport(), InstantDecoder())
        let urls = (0..<requestCount).compactMap(makeRequest).compactMap(\.url)
        let load: @Sendable (URL) async throws -> Data = { url in
            let body = try await transport.send(TransportRequest(url: url)).body
            return try await body.collected(expectedBytes: nil, limit: 1_000)
        }
        let decode: @Sendable (Data) throws -> DecodedImage = { data in
            try decoder.decode(data, request: DecodingRequest(), isCancelled: { false })
        }
        let picture: @Sendable (URL) async throws -> DecodedImage = { url in
            guard partsInTasks else { return try decode(try await load(url)) }
            return try await apart {
                let data = try await apart { try await load(url) }
                return try await apart { try decode(data) }
            }
        }
        return try await Stopwatch.processorMicroseconds {
            for url in urls {
                if inTasks {
                    _ = try await Task { try await picture(url) }.value
                } else {
                    _ = try await picture(url)
                }
            }
        } / Double(urls.count)
    }

    /// Runs something in a task of its own, which is cancelled with the one that waits.
    private static func apart<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let started = Mutex<Task<Void, Never>?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = Task.detached {
                    do { continuation.resume(returning: try await body()) } catch {
                        continuation.resume(throwing: error)
                    }
                }
                started.withLock { $0 = task }
            }
        } onCancel: {
            started.withLock { $0 }?.cancel()
        }
    }

    // MARK: Queues

    /// What it costs to move and to cancel each of 100,000 works that wait, beside each of 10,000.
    private static func queues(rounds: Int) -> [Figure] {
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
            Figure(
                name: "\(name) among 100,000 that wait", value: times[100_000, default: .infinity], unit: "µs",
                beside: [Figure.Other(value: times[10_000, default: .infinity], name: "among 10,000")])
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

    static func makeRequest(_ number: Int) -> ImageRequest? {
        URL(string: "https://pictures.example.org/albums/17/photos/\(number).jpg").map { ImageRequest(url: $0) }
    }

    static func makeLoader(
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
struct InstantTransport: DataTransport {
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
