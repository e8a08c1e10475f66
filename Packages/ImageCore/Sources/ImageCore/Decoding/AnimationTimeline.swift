/// Maps the playing time of an animation to a frame. It uses no clock.
package struct AnimationTimeline: Hashable, Sendable {
    /// The number of times the animation plays. 0 repeats it forever.
    private let loopCount: Int
    /// The end of each frame, from the start of a loop.
    private let ends: [Duration]

    /// - Parameter delays: The duration of each frame. Negative durations count as zero.
    package init(delays: [Duration], loopCount: Int) {
        self.loopCount = max(0, loopCount)
        var end = Duration.zero
        ends = delays.map { delay in
            end += delay.limited
            return end
        }
    }

    /// Returns the frame at a time after the start. Negative times count as zero. A still image is at its end.
    package func moment(at elapsed: Duration) -> AnimationMoment {
        guard ends.count > 1, let loop = ends.last, loop > .zero else { return AnimationMoment(frame: 0, end: nil) }
        let (played, last) = (max(.zero, elapsed.limited), ends.count - 1)
        let loops = Int(clamping: played.attoseconds / loop.attoseconds)
        if loopCount > 0, loops >= loopCount { return AnimationMoment(frame: last, end: nil) }
        let time = Duration(attoseconds: played.attoseconds % loop.attoseconds)
        let frame = frame(at: time)
        let isLast = frame == last && loops + 1 == loopCount
        return AnimationMoment(frame: frame, end: isLast ? nil : played + (ends[frame] - time))
    }

    /// Returns the first frame that ends after a time within a loop, by binary search.
    private func frame(at time: Duration) -> Int {
        var (first, last) = (0, ends.count - 1)
        while first < last {
            let middle = (first + last) / 2
            if ends[middle] > time { last = middle } else { first = middle + 1 }
        }
        return first
    }
}
