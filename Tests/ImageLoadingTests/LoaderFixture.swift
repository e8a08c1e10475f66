import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageTesting

/// A loader over fakes at every edge and the real coalescers, with everything that a test wants to look at.
struct LoaderFixture {
    let transport = ScriptedTransport()
    let memory = InMemoryImageCache()
    let disk = InMemoryDataCache()
    let decoder: FakeSizedImageDecoder
    let observer = RecordingObserver()
    let clock = ManualClock()
    let imageCoalescer = SharedWorkCoalescer<ImageJobKey, LoadedImage>()
    let dataCoalescer = SharedWorkCoalescer<DataJobKey, LoadedData>()
    let loader: ImageLoader

    static let now = Date(timeIntervalSince1970: 1_000)

    /// - Parameter adjust: exchanges parts; the fixture's own are then not asked.
    init(
        scheduler: any WorkScheduler = ImmediateScheduler(), retries: Int = 0, decodeGate: Gate? = nil,
        adjust: (inout ImageLoaderConfiguration) -> Void = { _ in }
    ) {
        decoder = FakeSizedImageDecoder(gate: decodeGate)
        var configuration = ImageLoaderConfiguration(
            memoryCache: memory, diskCache: disk, transport: transport, decoder: decoder, scheduler: scheduler,
            imageCoalescer: imageCoalescer, dataCoalescer: dataCoalescer, observer: observer,
            retryPolicy: RetryPolicy(retries: retries, baseDelay: .seconds(1), maxDelay: .seconds(60)) { 1 },
            transferLimits: TransferLimits(maxBodyBytes: 10_000), clock: clock, now: { Self.now })
        adjust(&configuration)
        loader = ImageLoader(configuration)
    }

    /// A request for a picture of 40 by 30 pixels; the transport is told how to reply, at first and ever after.
    func request(
        _ name: String, fit side: Int? = 20, first: ScriptedTransport.Reply? = nil,
        then: ScriptedTransport.Reply = .ok(picture), adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var components = URLComponents()
        (components.scheme, components.host, components.path) = ("http", "pictures.example", "/\(name)")
        guard let url = components.url else { preconditionFailure("no path of a URL: \(name)") }
        if let first { transport.script(url, first, then) } else { transport.script(url, then) }
        var request = ImageRequest(url: url, target: side.map { ImageTarget(PixelSize(width: $0, height: $0)) })
        adjust(&request)
        return request
    }

    static let picture = FakePicture.encode(width: 40, height: 30)
}
