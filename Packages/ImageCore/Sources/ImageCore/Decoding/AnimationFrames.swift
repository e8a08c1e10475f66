/// The frames of an animation, shared by all that show it.
///
/// Promises:
/// - `moment` depends on the time only. Frame 0 is shown at the start, and each frame until the end of its moment.
/// - `cachedFrame` returns immediately.
/// - After `prepare` returns, `cachedFrame` returns the frame until others are prepared. `prepare` does not use the
///   main actor.
public protocol AnimationFrames: AnyObject, Sendable {
    /// Returns the frame to show at a time after the start.
    func moment(at elapsed: Duration) -> AnimationMoment
    /// Returns a frame if it is in memory.
    func cachedFrame(at index: Int) -> Bitmap?
    /// Decodes a frame, and as many of the next ones as fit in memory. Throws if the frame itself can't be decoded.
    @concurrent func prepare(from index: Int) async throws(ImageError)
}

/// The frame of an animation that is shown at a given time.
public struct AnimationMoment: Hashable, Sendable {
    /// The index of the frame, from 0.
    public var frame: Int
    /// The time after the start at which another frame is shown, or nil if the animation has ended.
    public var end: Duration?

    /// Creates a moment of an animation.
    public init(frame: Int, end: Duration?) {
        self.frame = frame
        self.end = end
    }

    /// Whether the animation has ended.
    public var isLast: Bool { end == nil }
}

/// An animation whose frames are all in memory. A still image is one of a single frame.
package final class DecodedFrames: AnimationFrames {
    private let bitmaps: [Bitmap]
    private let timeline: AnimationTimeline

    /// Creates an animation.
    ///
    /// - Parameters:
    ///   - bitmaps: The frames, in order.
    ///   - delays: The duration of each frame; empty for a still image.
    ///   - loopCount: The number of times that the animation plays. 0 repeats it forever.
    package init(_ bitmaps: [Bitmap], delays: [Duration] = [], loopCount: Int = 1) {
        self.bitmaps = bitmaps
        timeline = AnimationTimeline(delays: Array(delays.prefix(bitmaps.count)), loopCount: loopCount)
    }

    package func moment(at elapsed: Duration) -> AnimationMoment { timeline.moment(at: elapsed) }

    package func cachedFrame(at index: Int) -> Bitmap? { bitmaps.indices.contains(index) ? bitmaps[index] : nil }

    /// Throws `.noSuchFrame` for a frame that doesn't exist.
    @concurrent package func prepare(from index: Int) async throws(ImageError) {
        guard !bitmaps.indices.contains(index) else { return }
        throw .decoding(.noSuchFrame(index, frameCount: bitmaps.count))
    }
}
