/// Drives all players of a window by one callback of the toolkit, called once for each of its frames.
///
/// It runs while something may move: while at least one player that has not come to its end is visible, and motion is not reduced. When
/// that changes it says so, for the toolkit to add its callback, or to remove it.
///
/// ```swift
/// let clock = AnimationClock { isRunning in isRunning ? addTickCallback() : removeTickCallback() }
/// clock.tick(at: frameTime)  // in the callback
/// ```
@MainActor
public final class AnimationClock {
    /// How many players may change their image in one tick, at least 1. Those that come too late for it are first in the next: who changed
    /// last the longest ago has the first turn.
    public let frameBudget: Int
    /// Whether the user wants no motion: then players show their first frame, and nothing runs.
    public var reducesMotion: Bool {
        didSet {
            guard reducesMotion != oldValue else { return }
            if reducesMotion { for player in players.compactMap(\.player) { player.rewind() } }
            changed()
        }
    }
    /// Whether ticks are wanted.
    public private(set) var isRunning = false

    private struct Seat {
        weak var player: AnimationPlayer?
    }

    private let onRunningChange: @MainActor (Bool) -> Void
    /// Those that may move, who changed last the longest ago first.
    private var players: [Seat] = []

    /// - Parameter onRunningChange: told when ticks are wanted, and when they are not any more.
    public init(
        frameBudget: Int = 8, reducesMotion: Bool = false, onRunningChange: @escaping @MainActor (Bool) -> Void
    ) {
        self.frameBudget = max(1, frameBudget)
        self.reducesMotion = reducesMotion
        self.onRunningChange = onRunningChange
    }

    /// Shows what is due.
    ///
    /// - Parameter time: since whatever moment, the same for all ticks; never less than in the tick before.
    public func tick(at time: Duration) {
        guard isRunning else { return }
        var turns = frameBudget
        for player in players.compactMap(\.player) where player.mayMove && player.isDue(at: time) && turns > 0 {
            guard player.showDueFrame() else { continue }
            turns -= 1
            hadItsTurn(player)
        }
        changed()
    }

    /// Takes a player in, or out, as it is now.
    func update(_ player: AnimationPlayer) {
        let isIn = players.contains { $0.player === player }
        if player.mayMove, !isIn { players.append(Seat(player: player)) }
        changed()
    }

    private func hadItsTurn(_ player: AnimationPlayer) {
        guard let index = players.firstIndex(where: { $0.player === player }) else { return }
        players.append(players.remove(at: index))
    }

    private func changed() {
        players.removeAll { !($0.player?.mayMove ?? false) }
        let runs = !reducesMotion && !players.isEmpty
        guard runs != isRunning else { return }
        isRunning = runs
        if !runs { for player in players.compactMap(\.player) { player.pause() } }
        onRunningChange(runs)
    }
}
