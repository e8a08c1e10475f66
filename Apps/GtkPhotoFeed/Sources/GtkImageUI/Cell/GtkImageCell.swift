public import ImageCore
public import ImageLoading
public import ImagePresenting

/// An image that loads itself: a `ImageView` on the screen, an `ImageBinding` behind it.
///
/// The owner sets what it is bound to and whether it is on screen. The cell computes its size in pixels, which follows the screen.
/// While it is off the screen it holds no image: lists keep many more cells than can be seen.
public final class GtkImageCell: ImageSurface {
    /// What an image is, given the size in pixels at which it will be seen.
    public typealias Request = (PixelSize) -> ImageRequest

    /// Loads that are over sooner show no bar.
    public static let slowLoad = Duration.milliseconds(600)
    /// Images that come sooner are shown at once: nobody sees a placeholder so shortly, and to paint a fade costs several times an image.
    public static let quickLoad = Duration.milliseconds(100)

    public let view: ImageView
    /// Called whenever it shows something else than before.
    public var onChange: () -> Void = {}

    private let width: Int
    private let height: Int
    private let animation: CellAnimation?
    private let now: () -> Duration
    private lazy var binding = ImageBinding(loader: loader, surface: self, options: options)
    private let loader: ImageLoader
    private let options: ImageBinding.Options
    private var request: Request?
    private var shownNumber: UInt64?
    private var loadingSince: Duration?

    /// - Parameters:
    ///   - width, height: in points, for which images are asked.
    ///   - shrinks: the cell may be shown smaller than that.
    ///   - animations: what makes animated images move; nil leaves them at their first frame.
    ///   - now: a clock, for telling slow loads.
    public init(
        loader: ImageLoader, width: Int, height: Int, fit: ImageFit = .cover, shrinks: Bool = false,
        options: ImageBinding.Options = .recycledCell, animations: CellAnimations? = nil,
        now: @escaping () -> Duration = monotonicTime
    ) {
        (self.loader, self.width, self.height, self.options, self.now) = (loader, width, height, options, now)
        view = ImageView(width: shrinks ? 1 : width, height: shrinks ? 1 : height, fit: fit)
        animation = animations.map(CellAnimation.init)
        view.onRetry = { [weak self] in self?.binding.retry() }
        view.widget.onSignal("notify::scale-factor") { [weak self] in self?.bindAgain() }
    }

    /// What the surface was last told to show.
    public var appearance: ImageAppearance { binding.appearance }
    /// What it is bound to, at the size of this screen; nil when it is bound to nothing.
    public var boundRequest: ImageRequest? { binding.request }

    /// - Parameter description: what the image shows, for those who don't see it.
    public func bind(_ description: String, _ request: @escaping Request) {
        self.request = request
        view.setDescription(description)
        bindAgain()
    }

    public func unbind() {
        request = nil
        binding.unbind()
    }

    public func setOnScreen(_ isOnScreen: Bool) {
        binding.setVisible(isOnScreen)
        animation?.isVisible = isOnScreen
    }

    private func bindAgain() {
        guard let request else { return }
        let scale = view.widget.scaleFactor
        binding.bind(request(PixelSize(width: width * scale, height: height * scale)))
    }

    // MARK: Drawing

    public func render(_ appearance: ImageAppearance) {
        if let image = appearance.image {
            show(image, appearance)
        } else {
            shownNumber = nil
            animation?.stop()
            switch appearance.phase {
            case .failure(let error): view.showFailure(error.textForPeople)
            case .loading: view.showPlaceholder(isBusy: true)
            case .idle, .success: view.showPlaceholder(isBusy: false)
            }
        }
        showProgress(of: appearance.phase)
        onChange()
    }

    private func show(_ image: DecodedImage, _ appearance: ImageAppearance) {
        view.setBusy(appearance.phase.isLoading)
        guard shownNumber != appearance.imageNumber else { return }
        shownNumber = appearance.imageNumber
        let isQuick = loadingSince.map { now() - $0 < Self.quickLoad } ?? true
        view.show(
            Texture(image.bitmap), crossfadingFor: isQuick ? 0 : appearance.transition.milliseconds)
        animation?.stop()
        guard appearance.kind == .final, let request = binding.request else { return }
        animation?.play(image, of: request) { [weak view] in view?.show(Texture($0), isBrief: true) }
    }

    private func showProgress(of phase: ImagePhase) {
        guard case .loading(let progress) = phase else {
            loadingSince = nil
            return view.showProgress(nil)
        }
        let start = loadingSince ?? now()
        loadingSince = start
        guard now() - start >= Self.slowLoad, let progress, let total = progress.totalBytes, total > 0 else { return }
        view.showProgress(Double(progress.completedBytes) / Double(total))
    }
}

extension ImageBinding.Options {
    /// For cells of a list: nothing is loaded for a cell that is not seen, nothing held by one, and what was waited for fades in.
    public static var recycledCell: Self {
        var options = Self()
        options.loadsBeforeVisible = false
        options.releasesHiddenImage = true
        options.transition = .crossDissolve(.milliseconds(180))
        return options
    }
}

extension ImageTransition {
    /// Both kinds are one here: the page below is the background.
    fileprivate var milliseconds: Int {
        switch self {
        case .none: 0
        case .fadeIn(let duration), .crossDissolve(let duration): Int(duration / .milliseconds(1))
        }
    }
}

extension ImageError {
    /// Short enough for a cell.
    fileprivate var textForPeople: String {
        switch self {
        case .network: "No connection"
        case .offline: "Not stored, and offline"
        case .httpStatus(let status): "The server answered \(status)"
        case .notFound: "No longer there"
        case .decoding, .processing: "Not an image"
        case .tooLarge: "Too large"
        case .invalidURL, .fetch, .cancelled, .invalidated: "Not loaded"
        }
    }
}
