#if GTK
internal import CLibGTK
public import ImageCore
public import ImagePresenting

/// A view that loads and shows an image: an `ImageView` with an `ImageBinding`.
///
/// The image is decoded to the size of the view in pixels, which depends on the scale factor of the screen. A view that
/// is not on the screen holds no image, because lists keep many more cells than are visible.
public final class LoadingImageView: ImageSurface {
    /// Returns the request for an image, given its size in pixels.
    public typealias Request = (PixelSize) -> ImageRequest

    /// The duration of a load after which a progress bar is shown.
    static let slowLoad = Duration.milliseconds(600)
    /// The duration of a load up to which an image is shown without a transition.
    ///
    /// Such a short placeholder isn't noticeable, and painting a transition is several times as expensive as painting
    /// an image.
    static let quickLoad = Duration.milliseconds(100)

    /// The view that shows the image.
    let view: ImageView
    /// The widget of the view.
    public var widget: GtkWidgetRef { view.widget }
    /// Called whenever the appearance changes.
    public var onChange: () -> Void = {}

    private var width: Int
    private var height: Int
    private let contentMode: ImageTarget.Mode
    /// Returns the current time, to detect quick and slow loads.
    var now: () -> Duration = { .microseconds(g_get_monotonic_time()) }
    private let binding: ImageBinding
    private var request: Request?
    private var shownNumber: UInt64?
    private var loadingSince: Duration?

    /// The view neither loads nor holds an image while it is not on the screen. Loaded images fade in.
    public static var standardOptions: ImageBinding.Options {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        options.releasesHiddenImage = true
        options.transition = .crossDissolve(.milliseconds(180))
        return options
    }

    /// Creates a view without an image, which counts as on the screen.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - width: The width of the images, in points.
    ///   - height: The height of the images, in points.
    ///   - contentMode: How an image fits into the view.
    ///   - shrinks: Whether the view can become smaller than this size.
    ///   - options: What the view shows before and between images.
    ///   - clock: Plays animated images, or `nil` to show only their first frame.
    public init(
        loader: any ImageLoaderProtocol, width: Int, height: Int, contentMode: ImageTarget.Mode = .fill,
        shrinks: Bool = false,
        options: ImageBinding.Options = standardOptions, clock: AnimationClock? = nil
    ) {
        self.width = width
        self.height = height
        self.contentMode = contentMode
        binding = ImageBinding(loader: loader, options: options, clock: clock)
        view = ImageView(width: shrinks ? 1 : width, height: shrinks ? 1 : height, contentMode: contentMode)
        binding.surface = self
        view.onRetry = { [weak self] in self?.retry() }
        view.widget.onSignal("notify::scale-factor") { [weak self] in self?.reload() }
    }

    /// Whether GTK shows the color spaces of bitmaps, which it does from 4.16 on. Otherwise, other colors than sRGB are
    /// converted when they are first drawn, so load images in sRGB.
    public static var showsColorSpaces: Bool { cgtk_has_color_states() != 0 }

    /// Whether a crossfade is in progress.
    public var isCrossfading: Bool { view.isCrossfading }
    /// Whether the progress of a slow load is shown.
    public var showsProgress: Bool { view.showsProgress }
    /// The appearance that the binding last set.
    public var appearance: ImageAppearance { binding.appearance }
    /// The request for the image at the current scale factor, or `nil` if there is none.
    var boundRequest: ImageRequest? { binding.request }

    /// Shows the image at a URL, decoded to the size of the view.
    ///
    /// - Parameters:
    ///   - url: The address of the image.
    ///   - description: The accessible description of the image.
    public func load(_ url: URL, description: String) { load(ImageRequest(url: url), description: description) }

    /// Shows the image of a request. An image in memory is shown before this method returns.
    ///
    /// - Parameters:
    ///   - request: The image. Without a target, it is decoded to the size of the view.
    ///   - description: The accessible description of the image.
    public func load(_ request: ImageRequest, description: String) {
        load(description: description) { [contentMode] size in
            var request = request
            if request.target == nil { request.target = contentMode == .fill ? .fill(size) : .fit(size) }
            return request
        }
    }

    /// Shows the image of a request that depends on the size, such as one with previews of the same size.
    ///
    /// - Parameters:
    ///   - description: The accessible description of the image.
    ///   - request: Returns the request for the size of the view in pixels. Called again if the scale factor changes.
    public func load(description: String, _ request: @escaping Request) {
        self.request = request
        view.setDescription(description)
        reload()
    }

    /// Sets the size of the images of later loads, in points.
    func setImageSize(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Shows the placeholder and cancels the load.
    public func cancelLoading() {
        request = nil
        binding.unbind()
    }

    /// Loads the image again after a failure.
    func retry() { binding.retry() }

    /// Sets whether the view is on the screen. A view that isn't neither loads nor holds an image.
    public func setOnScreen(_ isOnScreen: Bool) { binding.isVisible = isOnScreen }

    private func reload() {
        guard let request else { return }
        let scale = view.widget.scaleFactor
        binding.bind(request(PixelSize(width: width * scale, height: height * scale)))
    }

    // MARK: Drawing

    /// Shows an appearance. The binding calls this method.
    public func render(_ appearance: ImageAppearance) {
        if let image = appearance.image, !appearance.isFailedPlaceholder {
            show(image, appearance)
        } else {
            shownNumber = nil
            switch appearance.phase {
            case .failure(let error): view.showFailure(error.displayText)
            case .loading: view.showPlaceholder(isBusy: true)
            case .idle, .success: view.showPlaceholder(isBusy: false)
            }
        }
        showProgress(of: appearance.phase)
        onChange()
    }

    private func show(_ image: DecodedImage, _ appearance: ImageAppearance) {
        view.setBusy(appearance.phase.isLoading)
        guard shownNumber != appearance.imageVersion else { return }
        shownNumber = appearance.imageVersion
        let isQuick = loadingSince.map { now() - $0 < Self.quickLoad } ?? true
        view.show(
            Texture(image.bitmap), crossfadingFor: isQuick ? 0 : appearance.transition.milliseconds,
            isBrief: appearance.kind == .placeholder || appearance.isAnimating)
    }

    private func showProgress(of phase: ImagePhase) {
        guard case .loading(let progress?) = phase else {
            // A load without progress has just begun, maybe after that of another image.
            loadingSince = phase.isLoading ? now() : nil
            return view.showProgress(nil)
        }
        let start = loadingSince ?? now()
        loadingSince = start
        guard now() - start >= Self.slowLoad, let total = progress.totalByteCount, total > 0 else { return }
        view.showProgress(Double(progress.completedByteCount) / Double(total))
    }
}

extension ImageAppearance {
    /// Whether loading has failed and only the placeholder is left. The view shows the failure instead.
    fileprivate var isFailedPlaceholder: Bool { phase.isFailure && kind == .placeholder }
}

extension ImageTransition {
    /// The duration in milliseconds. Both kinds of transition are crossfades here, because the page below is the
    /// background.
    fileprivate var milliseconds: Int {
        switch self {
        case .immediate: 0
        case .fadeIn(let duration), .crossDissolve(let duration): Int(duration / .milliseconds(1))
        }
    }
}

extension ImageError {
    /// A message that is short enough for a small view.
    fileprivate var displayText: String {
        switch self {
        case .network: "No connection"
        case .offline: "Offline, and not in the cache"
        case .httpStatus(let status, _): "HTTP error \(status)"
        case .notFound: "Not found"
        case .decoding, .processing: "Not an image"
        case .tooLarge: "Too large"
        default: "Not loaded"
        }
    }
}
#endif
