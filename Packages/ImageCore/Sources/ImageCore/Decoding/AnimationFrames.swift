/// The frames of an animation.
///
/// Promises:
/// - `moment` depends on the time only. Frame 0 is shown at the start.
/// - `cachedFrame` returns immediately.
/// - After `prepare` returns, `cachedFrame` returns the frame until others are prepared. `prepare` does not use the
///   main actor.
public protocol AnimationFrames: Sendable {
    /// Returns the frame to show at a time after the start.
    func moment(at elapsed: Duration) -> AnimationMoment
    /// Returns a frame if it is in memory.
    func cachedFrame(at index: Int) -> Bitmap?
    /// Decodes a frame, and as many of the next ones as fit in memory. Throws if it can't be decoded.
    @concurrent func prepare(from index: Int) async throws
}

/// The frame of an animation that is shown at a given time.
public struct AnimationMoment: Hashable, Sendable {
    /// The index of the frame, from 0.
    public var frame: Int
    /// Whether the animation has ended.
    public var isLast: Bool

    /// Creates a moment of an animation.
    public init(frame: Int, isLast: Bool) {
        self.frame = frame
        self.isLast = isLast
    }
}
