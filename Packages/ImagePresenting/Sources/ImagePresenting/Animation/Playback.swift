import ImageCore

/// The playback state of an animation. Independent of clock, frames and surface.
struct Playback: Sendable {
    /// The index of the frame that is shown.
    private(set) var shown = 0
    /// The frame to show at the time of the last tick.
    private(set) var target = AnimationMoment(frame: 0, end: .zero)
    /// The time of the clock since which, or at which, another frame is due. Nil if the next tick determines it.
    private(set) var due: Duration?
    private var played = Duration.zero
    /// The time of the clock at which the animation would have started without pauses, or nil while it is paused.
    private var start: Duration?
    /// Whether the target frame and those after it were prepared, in memory or not.
    private var isPrepared = false
    private var hasFailed = false

    var isBehind: Bool { target.frame != shown }
    var isFinished: Bool { hasFailed || (target.isLast && !isBehind) }

    /// Advances the animation to a time. The first tick, and the first tick after a pause, only set the starting time.
    mutating func tick(at time: Duration, moment: (Duration) -> AnimationMoment) {
        let start = start ?? time - played
        self.start = start
        played = max(played, time - start)
        let frame = target.frame
        target = moment(played)
        if target.frame != frame { isPrepared = false }
        // A frame that is not shown yet stays due since the time at which it should have been.
        due = isBehind ? due ?? time : target.end.map { start + $0 }
    }

    /// Continues at the time of another playback of the same animation.
    mutating func join(_ other: Playback) {
        played = other.played
        start = other.start
        due = nil
    }

    mutating func pause() {
        start = nil
        due = nil
    }

    mutating func didShow() {
        shown = target.frame
        due = if let start, let end = target.end { start + end } else { nil }
    }

    mutating func didFail() { hasFailed = true }

    /// Returns the first frame to prepare, if the target frame is missing, or if it has changed and the one after the next
    /// is missing.
    mutating func frameToPrepare(_ isCached: (Int) -> Bool) -> Int? {
        let frame = target.frame
        let isNeeded = isPrepared ? isBehind && !isCached(frame) : !isCached(frame) || !isCached(frame + 2)
        guard isNeeded else { return nil }
        isPrepared = true
        return frame
    }
}
