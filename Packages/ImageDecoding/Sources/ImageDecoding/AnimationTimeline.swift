public import ImageCore

/// Tells which frame of an animation is to be seen when. A pure function of the time played; knows no clock.
public struct AnimationTimeline: Hashable, Sendable {
    /// What is to be seen at a moment.
    public struct Position: Hashable, Sendable {
        /// Index of the frame, from 0.
        public var frame: Int
        /// How many times the animation has been played to its end.
        public var completedLoops: Int
        /// How long the frame stays from this moment on; nil when it stays for ever.
        public var untilNext: Duration?

        /// True when nothing changes any more: the last frame of the last loop stays.
        public var isFinished: Bool { untilNext == nil }
    }

    /// How many times the animation plays; 0 is for ever.
    public let loopCount: Int
    /// When each frame ends within one loop.
    private let ends: [Duration]

    /// - Parameters:
    ///   - delays: how long each frame stays; negative ones count as zero.
    ///   - loopCount: 0 is for ever.
    public init(delays: [Duration], loopCount: Int) {
        self.loopCount = max(0, loopCount)
        var end = Duration.zero
        ends = delays.map { delay in
            end += max(.zero, delay)
            return end
        }
    }

    /// The timeline of an image; a still one is finished from the start.
    public init(_ header: ImageHeader) {
        self.init(delays: header.frameDelays, loopCount: header.loopCount)
    }

    /// How long one loop takes.
    public var loopDuration: Duration { ends.last ?? .zero }

    /// What is to be seen `elapsed` after the start. Times before the start count as the start.
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
    /// Index of the first element for which `isBeyond` holds, given that it holds for all after it.
    fileprivate func partitionPoint(_ isBeyond: (Duration) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
