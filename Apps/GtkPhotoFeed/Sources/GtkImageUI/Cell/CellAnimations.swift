public import ImageCore
public import ImagePresenting

/// Plays the animated images of a window with one clock.
public struct CellAnimations {
    /// Loads the frames of an animated image. Returns nil if they can't be loaded.
    public typealias Source = @Sendable (ImageRequest) async -> (any AnimationFrames)?

    let clock: AnimationClock
    let source: Source
    private let driver: WindowClock?

    /// Creates animations with a clock that the caller advances.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - source: Loads frames.
    public init(clock: AnimationClock, source: @escaping Source) {
        (self.clock, self.source, driver) = (clock, source, nil)
    }

    /// Whether an animation is playing.
    public var isRunning: Bool { clock.isRunning }

    /// Creates animations that follow the frames of a window and the user's setting for reduced motion.
    ///
    /// - Parameters:
    ///   - window: The window.
    ///   - source: Loads frames.
    public init(on window: Widget, source: @escaping Source) {
        let driver = WindowClock(window)
        (clock, self.source, self.driver) = (driver.clock, source, driver)
    }
}

/// An animation clock that is advanced by a window's frames while an animation is playing.
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

/// The animation of a cell, if its image is animated.
final class CellAnimation {
    var isVisible = false {
        didSet { player?.isVisible = isVisible }
    }

    private let animations: CellAnimations
    private var player: AnimationPlayer?
    private var opening: Task<Void, Never>?

    init(_ animations: CellAnimations) { self.animations = animations }

    deinit { opening?.cancel() }

    /// Plays the animation of an image that is already shown. Does nothing for a still image.
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

    /// Stops the animation at its current frame.
    func stop() {
        opening?.cancel()
        // Removes the player from the clock, which doesn't notice when a player is released.
        player?.isVisible = false
        (opening, player) = (nil, nil)
    }
}
