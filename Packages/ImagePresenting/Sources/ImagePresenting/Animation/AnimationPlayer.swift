import ImageCore

/// Plays an animation on a surface while the surface is visible.
///
/// Frames are decoded in advance, off the main actor. If a frame is late, the previous one stays visible and the time
/// continues. While the player is hidden, the animation is paused. Players of one clock show the same animation in step.
@MainActor
final class AnimationPlayer {
    /// Loads the frames.
    typealias Source = @Sendable () async throws -> any AnimationFrames

    private let first: Bitmap
    private let clock: AnimationClock
    private let source: Source
    private let show: @MainActor (_ frame: Bitmap, _ isAnimating: Bool) -> Void
    private var frames: (any AnimationFrames)?
    private var playback = Playback()
    /// Loads or prepares frames.
    private var work: Task<Void, Never>?

    /// Whether the surface is visible. Playback is paused otherwise.
    var isVisible = false {
        didSet { if isVisible != oldValue { visibilityChanged() } }
    }
    /// Whether the animation has ended: the last frame of the last loop is shown, or a frame could not be decoded.
    var isFinished: Bool { playback.isFinished }

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - first: The first frame, which the surface already shows.
    ///   - frames: The frames, or nil to load them from the source when the clock ticks.
    ///   - show: Called with each later frame.
    init(
        first: Bitmap, frames: (any AnimationFrames)?, clock: AnimationClock, source: @escaping Source,
        show: @escaping @MainActor (_ frame: Bitmap, _ isAnimating: Bool) -> Void
    ) {
        self.first = first
        self.frames = frames
        self.clock = clock
        self.source = source
        self.show = show
    }

    deinit { work?.cancel() }

    // MARK: For the clock

    var canAdvance: Bool { isVisible && !playback.isFinished }

    /// Returns the playback if the player shows these frames.
    func playback(of others: any AnimationFrames) -> Playback? { frames === others ? playback : nil }

    /// Advances the time. Returns true if another frame is due.
    func isDue(at time: Duration) -> Bool {
        guard let frames else {
            loadFrames()
            return false
        }
        playback.tick(at: time) { frames.moment(at: $0) }
        prepare(frames)
        return playback.isBehind
    }

    /// Shows the frame that is due. Returns false if it is not cached or already shown.
    func showDueFrame() -> Bool {
        guard playback.isBehind, let bitmap = frames?.cachedFrame(at: playback.target.frame) else { return false }
        playback.didShow()
        show(bitmap, !isFinished)
        return true
    }

    func pause() { playback.pause() }

    /// Returns to the first frame.
    func rewind() {
        let showsOtherFrame = playback.shown != 0
        playback = Playback()
        if showsOtherFrame { show(first, false) }
    }

    private func visibilityChanged() {
        if isVisible {
            joinOthers()
        } else {
            playback.pause()
            work?.cancel()
        }
        clock.update(self)
    }

    private func joinOthers() {
        if let frames, let other = clock.playback(of: frames, besides: self) { playback.join(other) }
    }

    // MARK: Loading and preparing frames

    private func loadFrames() {
        start { [weak self, source] in
            let frames = try await source()
            self?.frames = frames
            self?.joinOthers()
        }
    }

    /// Prepares the target frame and those after it.
    private func prepare(_ frames: any AnimationFrames) {
        guard work == nil, let frame = playback.frameToPrepare(isCached: { frames.cachedFrame(at: $0) != nil }) else {
            return
        }
        start { try await frames.prepare(from: frame) }
    }

    /// Starts work unless some is in progress. If it fails, the animation rests on the frame that is shown.
    private func start(_ body: @escaping @MainActor () async throws -> Void) {
        guard work == nil else { return }
        work = Task { [weak self] in
            do {
                try await body()
                self?.work = nil
            } catch {
                self?.failed(isCancelled: Task.isCancelled)
            }
        }
    }

    private func failed(isCancelled: Bool) {
        work = nil
        if isCancelled { return }
        playback.didFail()
        clock.update(self)
    }
}
