public import ImageCore

/// Maps the playing time of an animation to a frame. It uses no clock.
public struct AnimationTimeline: Hashable, Sendable {
    /// The state of the animation at a time.
    public struct Position: Hashable, Sendable {
        /// The index of the frame, from 0.
        public var frame: Int
        /// The number of completed loops.
        public var completedLoops: Int
        /// The time until the next frame, or nil if the frame is the final one.
        public var untilNext: Duration?

        /// Whether the animation shows the last frame of its last loop, which then stays.
        public var isFinished: Bool { untilNext == nil }
    }

    /// The number of times the animation plays. 0 repeats it forever.
    public let loopCount: Int
    /// The end of each frame, from the start of a loop.
    private let ends: [Duration]

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - delays: The duration of each frame. Negative durations count as zero.
    ///   - loopCount: The number of times the animation plays. 0 repeats it forever.
    public init(delays: [Duration], loopCount: Int) {
        self.loopCount = max(0, loopCount)
        var end = Duration.zero
        ends = delays.map { delay in
            end += delay.limited
            return end
        }
    }

    /// Creates the timeline of an image. A still image is finished at its start.
    public init(_ header: ImageHeader) {
        self.init(delays: header.frameDelays, loopCount: header.loopCount)
    }

    /// The duration of one loop.
    public var loopDuration: Duration { ends.last ?? .zero }

    /// Returns the state at a time after the start. Negative times count as zero.
    public func position(at elapsed: Duration) -> Position {
        let loop = loopDuration
        guard ends.count > 1, loop > .zero else { return Position(frame: 0, completedLoops: 0, untilNext: nil) }
        let played = max(.zero, elapsed)
        let loops = Int(clamping: played.attoseconds / loop.attoseconds)
        if loopCount > 0, loops >= loopCount {
            return Position(frame: ends.count - 1, completedLoops: loopCount, untilNext: nil)
        }
        let within = Duration(attoseconds: played.attoseconds % loop.attoseconds)
        let frame = ends.partitionPoint { $0 > within }
        let isLast = frame == ends.count - 1 && loopCount > 0 && loops == loopCount - 1
        return Position(frame: frame, completedLoops: loops, untilNext: isLast ? nil : ends[frame] - within)
    }
}

extension [Duration] {
    /// Returns the index of the first element for which `isBeyond` is true, or `count` if there is none.
    ///
    /// - Precondition: `isBeyond` is also true for all later elements.
    fileprivate func partitionPoint(_ isBeyond: (Duration) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
