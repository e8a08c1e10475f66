import ImageCoalescing
public import ImageCore
public import ImageLoading
import ImageTransporting

/// A whole loader over fakes, for tests of code that uses an `ImageLoader`. A test can delay images with gates.
///
/// For code that needs only `ImageLoaderProtocol`, `FakeImageLoader` is simpler.
///
/// ```swift
/// let bed = LoaderTestBed()
/// let gallery = Gallery(loader: bed.loader)
/// gallery.show(bed.request("photo", width: 4))  // the transport replies with an image of 4 by 3 pixels
/// ```
public struct LoaderTestBed: Sendable {
    /// Replies to the requests. It has no reply except for those that `request` returned.
    public let transport = ScriptedTransport()
    /// The memory cache.
    public let memory: InMemoryImageCache
    /// The clock of the loader and of the memory cache.
    public let clock: ManualClock
    /// Shares images and originals among requests.
    let coalescer: TaskCoalescer<OperationKey, OperationResult>
    /// The loader. It decodes `FakeImage`s, makes no retries, and has no disk cache.
    public let loader: ImageLoader

    /// Creates a loader over fakes.
    ///
    /// - Parameters:
    ///   - scheduler: Decides when downloads and decodes start. By default at once.
    ///   - executor: The executor of all tasks of the loader; nil for Swift's global executor.
    ///   - adjust: Replaces or adds components of the loader.
    public init(
        scheduler: any WorkScheduler = ImmediateScheduler(), executor: (any TaskExecutor)? = nil,
        adjust: (inout ImageLoaderParts) -> Void = { _ in }
    ) {
        let clock = ManualClock()
        self.clock = clock
        memory = InMemoryImageCache(clock: clock)
        coalescer = TaskCoalescer(executor: executor)
        var configuration = ImageLoaderParts(
            memoryCache: memory, transport: .uncached(transport), decoder: FakeSizedImageDecoder(),
            scheduler: scheduler, coalescer: coalescer,
            retryPolicy: TransferRetryPolicy(maxRetries: 0, baseDelay: .seconds(1), maxDelay: .seconds(60)) { 1 },
            clock: clock,
            taskExecutor: executor)
        adjust(&configuration)
        loader = ImageLoader(configuration)
    }

    /// Returns an encoded image with this width in pixels. Different widths distinguish images.
    public static func file(width: Int) -> Data { FakeImage.encode(width: width, height: 3) }

    /// Returns a request for an image with this width in pixels, which arrives when the gate is open.
    public func request(
        _ name: String, width: Int = 4, behind gate: TestGate? = nil, adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        let file = Self.file(width: width)
        let held = gate.map { [ScriptedTransport.Step.wait($0)] } ?? []
        return request(
            name, [ScriptedTransport.Reply(announcedByteCount: file.count, body: held + [.piece(file)])], adjust: adjust
        )
    }

    /// Returns a request to which the transport replies in this order. The last reply is repeated.
    public func request(
        _ name: String, _ replies: [ScriptedTransport.Reply], adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        guard let url = URL(string: "http://images.example/\(name)") else { preconditionFailure("no URL: \(name)") }
        transport.script(url, replies)
        var request = ImageRequest(url: url)
        adjust(&request)
        return request
    }

    /// Loads an image into the memory cache.
    public func warm(_ request: ImageRequest) async throws { _ = try await loader.image(for: request) }

    /// Returns an image with this width in pixels without loading it.
    static func image(width: Int) -> DecodedImage {
        let size = PixelSize(width: width, height: 1)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: Array(repeating: 255, count: size.area * 4), isOpaque: true),
            header: ImageHeader(format: .fake, storedSize: size))
    }
}
