import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting
import Synchronization

/// Measures the cost of the loader itself, with a fake transport and decoder that return immediately.
///
/// Times are the processor time of all threads per request, the minimum of all rounds.
enum LoaderBenchmarks {
    private static let requestCount = 2_000

    @concurrent
    static func run(rounds: Int = 25) async throws -> [Figure] {
        var times = [Double](repeating: .infinity, count: 4)
        for _ in 0..<rounds {
            let kinds = [
                try await awaitedRequests(), try await requestsInTasks(), try await plainTasks(),
                try await additionalWaiters(),
            ]
            for (kind, time) in kinds.enumerated() { times[kind] = min(times[kind], time) }
        }
        let floor = Figure.Other(value: times[2], name: "as many plain tasks: request, original and decoding")
        return [
            Figure(name: "request, awaited alone", value: times[0], unit: "µs", goal: 35),
            Figure(name: "request in a separate task", value: times[1], unit: "µs", beside: [floor]),
            Figure(name: "additional waiter for the same image", value: times[3], unit: "µs", goal: 15),
        ] + (try await WaitingBenchmarks.run())
    }

    private static func awaitedRequests() async throws -> Double {
        let loader = makeLoader(InstantTransport())
        let requests = (0..<requestCount).compactMap(makeRequest)
        return try await Stopwatch.processorMicroseconds {
            for request in requests { _ = try await loader.image(for: request) }
        } / Double(requests.count)
    }

    private static func requestsInTasks() async throws -> Double {
        let loader = makeLoader(InstantTransport())
        let requests = (0..<requestCount).compactMap(makeRequest)
        return try await Stopwatch.processorMicroseconds {
            try await inTasks(requests) { _ = try await loader.image(for: $0) }
        } / Double(requests.count)
    }

    /// Measures the same calls without a loader. Each image and each original is loaded in its own task, which others
    /// could await.
    private static func plainTasks() async throws -> Double {
        let (transport, decoder) = (InstantTransport(), InstantDecoder())
        let requests = (0..<requestCount).compactMap(makeRequest)
        return try await Stopwatch.processorMicroseconds {
            try await inTasks(requests) { request in
                guard let url = request.url else { return }
                let image = Task.detached {
                    let original = Task.detached {
                        let body = try await transport.send(TransportRequest(url: url)).body
                        return try await body.collected(expectedByteCount: nil, byteLimit: 1_000)
                    }
                    return try decoder.decode(try await original.value)
                }
                _ = try await image.value
            }
        } / Double(requests.count)
    }

    /// Measures callers that wait for one download, which a gate blocks until the last caller has joined.
    private static func additionalWaiters() async throws -> Double {
        let (gate, coalescer) = (TestGate(), TaskCoalescer<OperationKey, OperationResult>())
        let loader = makeLoader(InstantTransport(gate: gate), coalescer: coalescer)
        let requests = Array(repeating: ImageRequest(.data(Data(), name: "none")), count: requestCount)
        guard let request = makeRequest(0) else { return .infinity }
        return try await Stopwatch.processorMicroseconds {
            async let all: Void = inTasks(requests) { _ in _ = try await loader.image(for: request) }
            while coalescer.callerCount < requestCount { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            try await all
        } / Double(requestCount)
    }

    private static func inTasks(
        _ requests: [ImageRequest], _ body: @escaping @Sendable (ImageRequest) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { try await body(request) } }
            try await group.waitForAll()
        }
    }

    // MARK: Fakes

    static func makeRequest(_ number: Int) -> ImageRequest? {
        URL(string: "https://images.example.org/albums/17/photos/\(number).jpg").map { ImageRequest(url: $0) }
    }

    static func makeLoader(
        _ transport: InstantTransport,
        scheduler: PriorityScheduler = PriorityScheduler(lanes: [
            .download: LaneOptions(limit: 6, perServerLimit: 6), .decode: LaneOptions(limit: 2),
        ]),
        coalescer: TaskCoalescer<OperationKey, OperationResult> = TaskCoalescer()
    ) -> ImageLoader {
        ImageLoader(
            ImageLoaderParts(
                memoryCache: nil, transport: .uncached(transport), decoder: InstantDecoder(),
                scheduler: scheduler, coalescer: coalescer,
                retryPolicy: TransferRetryPolicy(maxRetries: 0) { 0 }, clock: ContinuousClock()))
    }
}

/// Returns a few bytes for each request, immediately or when a gate opens.
struct InstantTransport: DataTransport {
    var gate: TestGate?

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        await gate?.pass()
        let chunk = SingleChunk()
        let body = TransportBody(pull: { () async throws(TransportError) in chunk.next() })
        return TransportResponse(head: ResponseHead(status: .ok, url: request.url), body: body)
    }
}

/// Returns a chunk of bytes once.
private final class SingleChunk: Sendable {
    private let isTaken = Atomic(false)

    func next() -> Data? { isTaken.exchange(true, ordering: .relaxed) ? nil : Data([1, 2, 3, 4]) }
}

/// Returns the same image immediately.
private struct InstantDecoder: SizedImageDecoder {
    private let image = DecodedImage(
        bitmap: Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255], isOpaque: true),
        header: ImageHeader(format: .png, storedSize: PixelSize(width: 1, height: 1)))

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { image.header }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        image
    }
}
