import ImageCore
import Synchronization

/// Plays an animation on a surface while the surface is visible.
///
/// Frames are decoded in advance, off the main actor. If a frame is late, the previous one stays visible and the time
/// continues. While the player is hidden, the animation is paused. Players of one clock show the same animation in step.
@MainActor
final class AnimationPlayer {
    /// Loads the frames.
    typealias Source = @Sendable () async throws -> any AnimationFrames

    private let first: Bitmap
    private let frameCount: Int
    private let clock: AnimationClock
    private let source: Source
    private let show: @MainActor (_ frame: Bitmap, _ isAnimating: Bool) -> Void
    private var frames: (any AnimationFrames)?
    private(set) var playback = Playback()
    /// The frame that was shown last, if another was to follow.
    private var moving: Bitmap?
    /// Loads or prepares frames.
    private var work: Task<Void, Never>?
    /// Whether there is no such work. Read when a frame is due: work that ends doesn't wake the main actor.
    private let isIdle = Mutex(true)

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
    ///   - show: Called with each later frame, and with the last one again if no more can be decoded.
    init(
        first: Bitmap, frameCount: Int, frames: (any AnimationFrames)?, clock: AnimationClock,
        source: @escaping Source, show: @escaping @MainActor (_ frame: Bitmap, _ isAnimating: Bool) -> Void
    ) {
        self.first = first
        self.frameCount = frameCount
        self.frames = frames
        self.clock = clock
        self.source = source
        self.show = show
    }

    /// Ends playback. Releases the frames on another thread, because it may take long.
    func end() {
        isVisible = false
        Task { @concurrent [frames] in withExtendedLifetime(frames) {} }
        frames = nil
    }

    // MARK: For the clock

    var canAdvance: Bool { isVisible && !playback.isFinished }

    func plays(_ others: any AnimationFrames) -> Bool { frames === others }

    /// The time at which `advance` has something to do, or nil if it has at once.
    var due: Duration? { playback.due }

    /// Advances the time, and loads or prepares frames.
    func advance(to time: Duration) {
        guard let frames else { return loadFrames() }
        playback.tick(at: time) { frames.moment(at: $0) }
        prepare(frames)
    }

    /// Shows the frame that is due. Returns false if it is not cached or already shown.
    func showDueFrame() -> Bool {
        guard playback.isBehind, let bitmap = frames?.cachedFrame(at: playback.target.frame) else { return false }
        playback.didShow()
        moving = isFinished ? nil : bitmap
        show(bitmap, !isFinished)
        return true
    }

    func pause() { playback.pause() }

    /// Returns to the first frame.
    func rewind() {
        let showsOtherFrame = playback.shown != 0
        playback = Playback()
        moving = nil
        if showsOtherFrame { show(first, false) }
    }

    private func visibilityChanged() {
        if isVisible {
            // The clock rewinds only what is visible.
            if clock.reducesMotion, !isFinished { rewind() }
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
        start { [self] in
            let frames = try await source()
            await loaded(frames)
        }
    }

    private func loaded(_ frames: any AnimationFrames) {
        self.frames = frames
        joinOthers()
    }

    /// Prepares the target frame and those after it, if it is missing or the one after the next is.
    private func prepare(_ frames: any AnimationFrames) {
        let isCached = { (frame: Int) in frames.cachedFrame(at: frame % self.frameCount) != nil }
        guard isIdle.withLock(\.self), let frame = playback.frameToPrepare(isCached) else { return }
        start { [frameCount, prepareFrame = clock.prepareFrame] in
            try await frames.prepare(from: frame)
            guard let prepareFrame else { return }
            for index in frame..<frame + frameCount {
                guard !Task.isCancelled, let bitmap = frames.cachedFrame(at: index % frameCount) else { return }
                prepareFrame(bitmap)
            }
        }
    }

    /// Starts work outside of the main actor, unless some is in progress. If it fails, the animation rests on the frame
    /// that is shown.
    private func start(_ body: @escaping @Sendable () async throws -> Void) {
        guard isIdle.withLock(\.self) else { return }
        isIdle.withLock { $0 = false }
        work = Task { @concurrent in
            do {
                try await body()
            } catch {
                if !Task.isCancelled { await failed() }
            }
            isIdle.withLock { $0 = true }
        }
    }

    private func failed() {
        playback.didFail()
        if let moving { show(moving, false) }
        moving = nil
        clock.update(self)
    }
}
