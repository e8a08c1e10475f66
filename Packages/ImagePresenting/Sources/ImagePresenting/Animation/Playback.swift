import ImageCore

/// The playback state of an animation. Independent of clock, frames and surface.
struct Playback: Sendable {
    /// The index of the frame that is shown.
    private(set) var shown = 0
    /// The frame to show at the time of the last tick.
    private(set) var target = AnimationMoment(frame: 0, isLast: false)
    private var played = Duration.zero
    /// The time of the last tick, or `nil` while the animation is paused.
    private var lastTick: Duration?
    private var preparedFrom: Int?
    private var hasFailed = false

    var isBehind: Bool { target.frame != shown }
    var isFinished: Bool { hasFailed || (target.isLast && !isBehind) }

    /// Advances the animation to a time. The first tick, and the first tick after a pause, only set the starting time.
    mutating func tick(at time: Duration, moment: (Duration) -> AnimationMoment) {
        played += lastTick.map { max(.zero, time - $0) } ?? .zero
        lastTick = time
        target = moment(played)
    }

    /// Continues at the time of another playback of the same animation.
    mutating func join(_ other: Playback) {
        played = other.played
        lastTick = other.lastTick
    }

    mutating func pause() { lastTick = nil }
    mutating func didShow() { shown = target.frame }
    mutating func didFail() { hasFailed = true }

    /// Returns the first frame to prepare if the target frame has changed or is missing; otherwise nil.
    mutating func frameToPrepare(isCached: (Int) -> Bool) -> Int? {
        let frame = target.frame
        guard frame != preparedFrom || (isBehind && !isCached(frame)) else { return nil }
        preparedFrom = frame
        return frame
    }
}
