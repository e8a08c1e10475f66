/// The frames of an animation, as a player needs them.
///
/// Promises:
/// - `moment` is a function of the time alone. Frame 0 is to be seen at the start.
/// - `cachedFrame` returns at once, also with nil.
/// - After `prepare` has returned, `cachedFrame` has the frame, until others are prepared. It does not use the main actor.
public protocol AnimationFrames: Sendable {
    /// What is to be seen so long after the start.
    func moment(at elapsed: Duration) -> AnimationMoment
    /// The frame, if it is at hand.
    func cachedFrame(at index: Int) -> Bitmap?
    /// Makes a frame, and those that are seen after it as far as they may be held. Throws when it can't be made.
    @concurrent func prepare(from index: Int) async throws
}

/// What of an animation is to be seen at a moment.
public struct AnimationMoment: Hashable, Sendable {
    /// Index of the frame, from 0.
    public var frame: Int
    /// True when nothing changes any more.
    public var isLast: Bool

    public init(frame: Int, isLast: Bool) {
        self.frame = frame
        self.isLast = isLast
    }
}
