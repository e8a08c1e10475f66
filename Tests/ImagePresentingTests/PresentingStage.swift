import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting

/// A loader over fakes, and a surface that writes down what it is told to render.
@MainActor
struct PresentingStage {
    let transport = ScriptedTransport()
    let memory = InMemoryImageCache()
    let imageCoalescer = SharedWorkCoalescer<ImageJobKey, LoadedImage>()
    let surface = RecordingSurface()
    let loader: ImageLoader

    init(scheduler: any WorkScheduler = ImmediateScheduler()) {
        loader = ImageLoader(
            ImageLoaderConfiguration(
                memoryCache: memory, responseCache: nil, transport: transport, decoder: FakeSizedImageDecoder(),
                scheduler: scheduler, imageCoalescer: imageCoalescer,
                dataCoalescer: SharedWorkCoalescer<DataJobKey, LoadedData>(),
                retryPolicy: RetryPolicy(retries: 0, baseDelay: .seconds(1), maxDelay: .seconds(1)) { 1 },
                clock: ManualClock()))
    }

    func binding(_ adjust: (inout ImageBinding.Options) -> Void = { _ in }) -> ImageBinding {
        var options = ImageBinding.Options()
        adjust(&options)
        return ImageBinding(loader: loader, surface: surface, options: options)
    }

    /// A picture so many pixels wide, which tells it from others.
    static func file(width: Int) -> Data { FakePicture.encode(width: width, height: 3) }

    /// A request for a picture so many pixels wide, which comes when the gate is open.
    func request(
        _ name: String, width: Int = 4, behind gate: Gate? = nil, adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        let file = Self.file(width: width)
        let held = gate.map { [ScriptedTransport.Step.wait($0)] } ?? []
        return request(
            name, [ScriptedTransport.Reply(announcedBytes: file.count, body: held + [.piece(file)])], adjust: adjust)
    }

    func request(
        _ name: String, _ replies: [ScriptedTransport.Reply], adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        guard let url = URL(string: "http://pictures.example/\(name)") else { preconditionFailure("no URL: \(name)") }
        transport.script(url, replies)
        var request = ImageRequest(url: url)
        adjust(&request)
        return request
    }

    /// Brings a picture to memory.
    func warm(_ request: ImageRequest) async throws { _ = try await loader.image(for: request) }

    static func picture(width: Int) -> DecodedImage {
        let size = PixelSize(width: width, height: 1)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: Array(repeating: 255, count: size.area * 4), isOpaque: true),
            header: ImageHeader(format: .fake, storedSize: size))
    }
}

/// Writes down what it is told to render.
@MainActor
final class RecordingSurface: ImageSurface {
    let log = MessageLog<String>()
    private(set) var last = ImageAppearance()
    /// Called in each rendering, after it was written down.
    var onRender: (ImageAppearance) -> Void = { _ in }

    var rendered: [String] { log.messages }

    func render(_ appearance: ImageAppearance) {
        last = appearance
        log.append(appearance.text)
        onRender(appearance)
    }

    /// Returns as soon as the last rendering is so.
    func ends(_ condition: (ImageAppearance) -> Bool) async {
        while !condition(last), !Task.isCancelled { await log.reaches(rendered.count + 1) }
    }
}

extension ImageAppearance {
    /// Phase, kind, width of the picture, transition: "success(disk) final 4 fadeIn".
    var text: String {
        let width = picture.map { " \($0.bitmap.size.width)" } ?? ""
        let going =
            switch transition {
            case .none: ""
            case .fadeIn: " fadeIn"
            case .crossDissolve: " crossDissolve"
            }
        return "\(phase.text) \(kind.rawValue)\(width)\(going)"
    }
}

extension ImagePhase {
    /// The phase with what comes with it: "loading(10)".
    var text: String {
        switch self {
        case .idle: "idle"
        case .loading(nil): "loading"
        case .loading(let progress?): "loading(\(progress.completedBytes))"
        case .success(let source): "success(\(source.rawValue))"
        case .failure(let error): "failure(\(error))"
        }
    }
}
