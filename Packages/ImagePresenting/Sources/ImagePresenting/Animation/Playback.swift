import ImageCore

/// Where one animation is. Pure: knows no clock, frames or surface.
struct Playback: Sendable {
    /// Index of the frame that is shown.
    private(set) var shown = 0
    /// What is to be seen by the time of the last tick.
    private(set) var wanted = AnimationMoment(frame: 0, isLast: false)
    private var played = Duration.zero
    /// When it was ticked last; nil while its time stands still.
    private var lastTick: Duration?
    private var preparedFrom: Int?
    private var isBroken = false

    var isBehind: Bool { wanted.frame != shown }
    var isFinished: Bool { isBroken || (wanted.isLast && !isBehind) }

    /// The first tick, and the first after a pause, begins at the moment at which the animation stands.
    mutating func tick(at time: Duration, moment: (Duration) -> AnimationMoment) {
        played += lastTick.map { max(.zero, time - $0) } ?? .zero
        lastTick = time
        wanted = moment(played)
    }

    mutating func pause() { lastTick = nil }
    mutating func showed() { shown = wanted.frame }
    mutating func broke() { isBroken = true }

    /// The frame from which on to prepare: whenever another one is wanted, and when the wanted one is not there.
    mutating func toPrepare(isThere: (Int) -> Bool) -> Int? {
        let frame = wanted.frame
        guard frame != preparedFrom || (isBehind && !isThere(frame)) else { return nil }
        preparedFrom = frame
        return frame
    }
}
