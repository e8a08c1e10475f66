public import ImageCore

/// Plays an animation on a surface while the surface is visible. Keep a reference to it: playback stops when the player
/// is deallocated.
///
/// Frames are decoded in advance, off the main actor. If a frame is late, the previous one stays visible and the time
/// continues. While the player is hidden, the animation is paused.
@MainActor
public final class AnimationPlayer {
    private let frames: any AnimationFrames
    private let first: Bitmap
    private let clock: AnimationClock
    private let show: @MainActor (Bitmap) -> Void
    private var playback = Playback()
    private var preparation: Task<Void, Never>?

    /// The current frame. Initially the first one.
    public private(set) var image: Bitmap
    /// Whether the surface is visible. Playback is paused otherwise.
    public var isVisible = false {
        didSet { if isVisible != oldValue { visibilityChanged() } }
    }
    /// Whether the animation has ended: the last frame of the last loop is shown, or a frame could not be decoded.
    public var isFinished: Bool { playback.isFinished }

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - firstFrame: The first frame, which the surface already shows.
    ///   - show: Called with each later frame. Capture the surface weakly if it holds the player.
    public init(
        _ frames: any AnimationFrames, firstFrame: Bitmap, clock: AnimationClock,
        show: @escaping @MainActor (Bitmap) -> Void
    ) {
        self.frames = frames
        self.clock = clock
        self.show = show
        first = firstFrame
        image = firstFrame
    }

    deinit { preparation?.cancel() }

    // MARK: For the clock

    var canAdvance: Bool { isVisible && !playback.isFinished }

    /// Advances the time. Returns true if another frame is due.
    func isDue(at time: Duration) -> Bool {
        playback.tick(at: time) { frames.moment(at: $0) }
        prepare()
        return playback.isBehind
    }

    /// Shows the frame that is due. Returns false if it is not cached or already shown.
    func showDueFrame() -> Bool {
        guard playback.isBehind, let bitmap = frames.cachedFrame(at: playback.target.frame) else { return false }
        playback.didShow()
        display(bitmap)
        return true
    }

    func pause() { playback.pause() }

    /// Returns to the first frame.
    func rewind() {
        let showsOtherFrame = playback.shown != 0
        playback = Playback()
        if showsOtherFrame { display(first) }
    }

    private func display(_ bitmap: Bitmap) {
        image = bitmap
        show(bitmap)
    }

    private func visibilityChanged() {
        if !isVisible {
            playback.pause()
            preparation?.cancel()
        }
        clock.update(self)
    }

    // MARK: Preparing frames

    /// Prepares the target frame and those after it, unless a preparation is in progress.
    private func prepare() {
        let isCached = { [frames] in frames.cachedFrame(at: $0) != nil }
        guard preparation == nil, let frame = playback.frameToPrepare(isCached: isCached) else { return }
        preparation = Task { [weak self, frames] in
            let isPrepared = (try? await frames.prepare(from: frame)) != nil
            self?.finishPreparation(hasFailed: !isPrepared && !Task.isCancelled)
        }
    }

    private func finishPreparation(hasFailed: Bool) {
        preparation = nil
        guard hasFailed else { return }
        playback.didFail()
        clock.update(self)
    }
}
