import ImageCore

/// Drives all animations of a window from one frame callback of the toolkit. Pass it to each `ImageBinding`.
///
/// The clock runs while at least one unfinished animation is visible and motion is not reduced. A frame that is late is
/// skipped.
///
/// ```swift
/// let clock = AnimationClock { isRunning in isRunning ? addTickCallback() : removeTickCallback() }
/// clock.tick(at: frameTime)  // in the callback
/// ```
@MainActor
public final class AnimationClock {
    /// The maximum number of surfaces that change their image in one tick, at least 1. Others change in the next ticks,
    /// starting with the one that has waited longest.
    public let frameBudget: Int
    /// Whether the user prefers reduced motion. In that case all animations show their first frame, and the clock stops.
    public var reducesMotion: Bool {
        didSet {
            guard reducesMotion != oldValue else { return }
            if reducesMotion { for player in players.compactMap(\.player) { player.rewind() } }
            updateRunning()
        }
    }
    /// Whether the clock needs ticks.
    public private(set) var isRunning = false

    private struct WeakPlayer {
        weak var player: AnimationPlayer?
    }

    private let onRunningChange: @MainActor (Bool) -> Void
    /// The players that may change, starting with the one whose last change is longest ago.
    private var players: [WeakPlayer] = []

    /// Creates a clock.
    ///
    /// - Parameter onRunningChange: Called with true when ticks are needed, and with false when they no longer are.
    public init(
        frameBudget: Int = 8, reducesMotion: Bool = false, onRunningChange: @escaping @MainActor (Bool) -> Void
    ) {
        self.frameBudget = max(1, frameBudget)
        self.reducesMotion = reducesMotion
        self.onRunningChange = onRunningChange
    }

    /// Shows the frames that are due.
    ///
    /// - Parameter time: The time since any fixed moment. It must not decrease.
    public func tick(at time: Duration) {
        guard isRunning else { return }
        var budget = frameBudget
        for player in players.compactMap(\.player) where player.canAdvance && player.isDue(at: time) && budget > 0 {
            guard player.showDueFrame() else { continue }
            budget -= 1
            moveToEnd(player)
        }
        updateRunning()
    }

    /// Adds a player if it can advance, or removes it otherwise.
    func update(_ player: AnimationPlayer) {
        let isListed = players.contains { $0.player === player }
        if player.canAdvance, !isListed { players.append(WeakPlayer(player: player)) }
        updateRunning()
    }

    /// Returns the playback of another player that shows the same frames.
    func playback(of frames: any AnimationFrames, besides player: AnimationPlayer) -> Playback? {
        players.lazy.compactMap(\.player).filter { $0 !== player }.compactMap { $0.playback(of: frames) }.first
    }

    private func moveToEnd(_ player: AnimationPlayer) {
        guard let index = players.firstIndex(where: { $0.player === player }) else { return }
        players.append(players.remove(at: index))
    }

    private func updateRunning() {
        players.removeAll { !($0.player?.canAdvance ?? false) }
        let runs = !reducesMotion && !players.isEmpty
        guard runs != isRunning else { return }
        isRunning = runs
        if !runs { for player in players.compactMap(\.player) { player.pause() } }
        onRunningChange(runs)
    }
}
