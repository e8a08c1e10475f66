public import ImageCore

/// Drives all animations of a window, by a timer or by the frame callback of a toolkit. Pass it to each `ImageBinding`.
///
/// The clock runs while at least one unfinished animation is visible, the app is active and motion is not reduced. A
/// frame that is late is skipped.
///
/// ```swift
/// let clock = AnimationClock(timer: ContinuousClock())  // wakes when a frame is due: 10 times a second at 10 fps
///
/// let clock = AnimationClock { isRunning in isRunning ? addTickCallback() : removeTickCallback() }
/// clock.tick(at: frameTime)  // in the callback
/// ```
@MainActor
public final class AnimationClock {
    let maxFrameChanges: Int
    /// Whether the user prefers reduced motion. In that case all animations that have not ended show their first frame, and
    /// the clock stops.
    public var reducesMotion: Bool {
        didSet {
            guard reducesMotion != oldValue else { return }
            if reducesMotion { for entry in entries { entry.player.rewind() } }
            updateRunning()
        }
    }
    /// Whether the app is in the foreground. Otherwise animations rest at their present frame.
    public var isActive = true {
        didSet { updateRunning() }
    }
    /// Prepares frames for drawing before they are due, outside of the main actor, for example with `Bitmap.drawable`. May be
    /// called again for the same frame. A frame that could not be prepared in time is shown all the same.
    public var prepareFrame: (@Sendable (Bitmap) -> Void)?
    /// Whether the clock needs ticks.
    public private(set) var isRunning = false

    /// A player that can advance. It is retained until it is hidden.
    private struct Entry {
        let player: AnimationPlayer
        /// The time at which the player has something to do, or nil if it has at once.
        var due: Duration?
    }

    private let onRunningChange: @MainActor (Bool) -> Void
    private var timer: FrameTimer?
    /// The players that can advance, starting with the one whose last frame is longest ago.
    private var entries: [Entry] = []

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - maxFrameChanges: The maximum number of surfaces that change their image in one tick, at least 1. Others change in the
    ///     next ticks, starting with the one that has waited longest.
    ///   - reducesMotion: See ``reducesMotion``.
    ///   - prepareFrame: See ``prepareFrame``.
    ///   - onRunningChange: Called with true when ticks are needed, and with false when they no longer are.
    public init(
        maxFrameChanges: Int = 8, reducesMotion: Bool = false, prepareFrame: (@Sendable (Bitmap) -> Void)? = nil,
        onRunningChange: @escaping @MainActor (Bool) -> Void
    ) {
        self.maxFrameChanges = max(1, maxFrameChanges)
        self.reducesMotion = reducesMotion
        self.prepareFrame = prepareFrame
        self.onRunningChange = onRunningChange
    }

    /// Creates a clock that ticks when a frame is due, and at most 60 times a second.
    ///
    /// - Parameters:
    ///   - maxFrameChanges: The maximum number of surfaces that change their image in one tick, at least 1.
    ///   - reducesMotion: See ``reducesMotion``.
    ///   - prepareFrame: See ``prepareFrame``.
    ///   - timer: Measures the time.
    public convenience init(
        maxFrameChanges: Int = 8, reducesMotion: Bool = false, prepareFrame: (@Sendable (Bitmap) -> Void)? = nil,
        timer: any Clock<Duration>
    ) {
        self.init(
            maxFrameChanges: maxFrameChanges, reducesMotion: reducesMotion, prepareFrame: prepareFrame,
            onRunningChange: { _ in })
        let timer = FrameTimer(timer)
        timer.onTick = { [weak self] in self?.tick(at: $0) }
        self.timer = timer
    }

    /// Shows the frames that are due.
    ///
    /// - Parameter time: The time since any fixed moment. It must not decrease.
    public func tick(at time: Duration) {
        guard isRunning else { return }
        var budget = maxFrameChanges
        for entry in entries.filter({ ($0.due ?? time) <= time }) where entry.player.canAdvance {
            entry.player.advance(to: time)
            if budget > 0, entry.player.showDueFrame() {
                budget -= 1
                moveToEnd(entry.player)
            }
            refresh(entry.player)
        }
        setTimer()
    }

    /// Adds a player or updates the time at which it is due. Removes it if it can't advance.
    func update(_ player: AnimationPlayer) {
        refresh(player)
        setTimer()
    }

    private func refresh(_ player: AnimationPlayer) {
        let index = entries.firstIndex { $0.player === player }
        switch (player.canAdvance, index) {
        case (true, let index?): entries[index].due = player.due
        case (true, nil): entries.append(Entry(player: player, due: player.due))
        case (false, let index?): entries.remove(at: index)
        case (false, nil): break
        }
        updateRunning()
    }

    /// Lets the timer wake when the first player is due, or stops it.
    private func setTimer() {
        guard let timer else { return }
        guard isRunning else { return timer.stop() }
        timer.tick(at: entries.contains { $0.due == nil } ? nil : entries.compactMap(\.due).min())
    }

    /// Returns the playback of another player that shows the same frames.
    func playback(of frames: any AnimationFrames, besides player: AnimationPlayer) -> Playback? {
        entries.first { $0.player !== player && $0.player.plays(frames) }?.player.playback
    }

    private func moveToEnd(_ player: AnimationPlayer) {
        guard let index = entries.firstIndex(where: { $0.player === player }) else { return }
        entries.append(entries.remove(at: index))
    }

    private func updateRunning() {
        let runs = isActive && !reducesMotion && !entries.isEmpty
        guard runs != isRunning else { return }
        isRunning = runs
        if !runs { pauseAll() }
        onRunningChange(runs)
        setTimer()
    }

    private func pauseAll() {
        for index in entries.indices {
            entries[index].player.pause()
            entries[index].due = nil
        }
    }
}
