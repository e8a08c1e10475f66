public import ImageCore

/// Plays one animation on one surface, while that is visible. Keep it: it stops when it goes.
///
/// Frames are made off the main actor, ahead of need. One that is not there in time is not waited for: the one before stays until it comes, and
/// time goes on. While it is hidden its time stands still.
@MainActor
public final class AnimationPlayer {
    private let frames: any AnimationFrames
    private let first: Bitmap
    private let clock: AnimationClock
    private let show: @MainActor (Bitmap) -> Void
    private var playback = Playback()
    private var preparation: Task<Void, Never>?

    /// What is to be seen now. At first that is the first frame.
    public private(set) var image: Bitmap
    /// Whether the surface is to be seen. Nothing moves before.
    public var isVisible = false {
        didSet { if isVisible != oldValue { visibilityChanged() } }
    }
    /// True when nothing moves any more: the last frame of the last loop is shown, or a frame can't be made.
    public var isFinished: Bool { playback.isFinished }

    /// - Parameters:
    ///   - firstFrame: what the surface shows already.
    ///   - show: given each further frame. Hold the surface weakly in it, if that holds the player.
    public init(
        _ frames: any AnimationFrames, firstFrame: Bitmap, clock: AnimationClock,
        show: @escaping @MainActor (Bitmap) -> Void
    ) {
        self.frames = frames
        self.clock = clock
        self.show = show
        (first, image) = (firstFrame, firstFrame)
    }

    deinit { preparation?.cancel() }

    // MARK: The clock's

    var mayMove: Bool { isVisible && !playback.isFinished }

    /// Lets its time go on. True when another frame is to be shown.
    func isDue(at time: Duration) -> Bool {
        playback.tick(at: time) { frames.moment(at: $0) }
        prepare()
        return playback.isBehind
    }

    /// Shows the frame that is due; false when that is not there, or is shown already.
    func showDueFrame() -> Bool {
        guard playback.isBehind, let bitmap = frames.cachedFrame(at: playback.wanted.frame) else { return false }
        playback.showed()
        display(bitmap)
        return true
    }

    func pause() { playback.pause() }

    /// Back to the first frame.
    func rewind() {
        let isElsewhere = playback.shown != 0
        playback = Playback()
        if isElsewhere { display(first) }
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

    // MARK: Frames to come

    /// Has the wanted frame made, and those after it: one preparation at a time.
    private func prepare() {
        guard preparation == nil, let frame = playback.toPrepare(isThere: { frames.cachedFrame(at: $0) != nil }) else {
            return
        }
        preparation = Task { [weak self, frames] in
            let isMade: Bool
            do {
                try await frames.prepare(from: frame)
                isMade = true
            } catch {
                isMade = false
            }
            self?.prepared(isMade: isMade || Task.isCancelled)
        }
    }

    private func prepared(isMade: Bool) {
        preparation = nil
        guard !isMade else { return }
        playback.broke()
        clock.update(self)
    }
}
