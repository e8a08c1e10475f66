public import ImageCore
public import ImagePresenting

/// What makes the animated images of a window move, all by one clock.
public struct CellAnimations {
    /// Brings the frames of an animated image; nil when there are none to be had.
    public typealias Source = @Sendable (ImageRequest) async -> (any AnimationFrames)?

    let clock: AnimationClock
    let source: Source
    private let driver: WindowClock?

    /// - Parameter clock: somebody else ticks it.
    public init(clock: AnimationClock, source: @escaping Source) {
        (self.clock, self.source, driver) = (clock, source, nil)
    }

    /// Whether anything moves now.
    public var isRunning: Bool { clock.isRunning }

    /// Ticks with a window's frames, and keeps to what the user wants of motion.
    public init(on window: Widget, source: @escaping Source) {
        let driver = WindowClock(window)
        (clock, self.source, self.driver) = (driver.clock, source, driver)
    }
}

/// An animation clock that a window's frames drive, while anything moves.
private final class WindowClock {
    private let window: Widget
    private(set) lazy var clock: AnimationClock = AnimationClock(reducesMotion: !DesktopSettings.animates) {
        [weak self] isRunning in
        if isRunning { self?.ticker.start() } else { self?.ticker.stop() }
    }
    private lazy var ticker: FrameTicker = FrameTicker(window) { [weak self] in self?.clock.tick(at: $0) }

    init(_ window: Widget) {
        self.window = window
        DesktopSettings.onAnimatesChange { [weak self] in self?.clock.reducesMotion = !DesktopSettings.animates }
    }
}

/// The animation of one cell, if its image is one.
final class CellAnimation {
    var isVisible = false {
        didSet { player?.isVisible = isVisible }
    }

    private let animations: CellAnimations
    private var player: AnimationPlayer?
    private var opening: Task<Void, Never>?

    init(_ animations: CellAnimations) { self.animations = animations }

    deinit { opening?.cancel() }

    /// Plays over an image that is shown already, unless it is a still one.
    func play(_ image: DecodedImage, of request: ImageRequest, show: @escaping @MainActor (Bitmap) -> Void) {
        guard image.header.frameCount > 1 else { return }
        opening = Task { [weak self, source = animations.source] in
            let frames = await source(request)
            guard !Task.isCancelled, let frames, let self else { return }
            let player = AnimationPlayer(
                frames, firstFrame: image.bitmap, clock: animations.clock, show: show)
            self.player = player
            player.isVisible = isVisible
        }
    }

    /// Leaves the image as it is.
    func stop() {
        opening?.cancel()
        // The clock does not notice by itself that a player is gone.
        player?.isVisible = false
        (opening, player) = (nil, nil)
    }
}
