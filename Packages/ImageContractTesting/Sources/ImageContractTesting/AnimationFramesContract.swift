public import ImageCore

/// The contract of `AnimationFrames`.
public enum AnimationFramesContract {
    /// An animation and the duration that the rules look at.
    public struct Subject: Sendable {
        /// The animation under test.
        public var frames: any AnimationFrames
        /// The duration that the rules look at: at least two loops.
        public var duration: Duration

        /// Creates a subject. The duration must be at least two loops of the animation.
        public init(_ frames: any AnimationFrames, duration: Duration) {
            self.frames = frames
            self.duration = duration
        }

        /// Times from the start to the end, and one far after it.
        fileprivate var moments: [Duration] { (0...200).map { duration * $0 / 200 } + [duration * 1_000] }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("an animation shows its first frame at the start") { subject in
            let moment = subject.frames.moment(at: .zero)
            try expect(moment.frame == 0, "frame \(moment.frame) at the start")
        },
        ContractRule("an animation returns the same moment for a time, in any order of calls") { subject in
            let forwards = subject.moments.map { subject.frames.moment(at: $0) }
            let backwards = subject.moments.reversed().map { subject.frames.moment(at: $0) }
            try expect(forwards == Array(backwards.reversed()), "another moment for the same time")
        },
        ContractRule("an animation never changes after a moment that is marked as the last") { subject in
            let moments = subject.moments.map { subject.frames.moment(at: $0) }
            guard let last = moments.firstIndex(where: \.isLast) else { return }
            try expect(Set(moments[last...]).count == 1, "it changes after its last moment")
        },
        ContractRule("an animation shows each frame until the end of its moment, and then another one") { subject in
            for time in subject.moments {
                let moment = subject.frames.moment(at: time)
                guard let end = moment.end else { continue }
                try expect(end > time, "the moment at \(time) has ended at \(end)")
                let last = subject.frames.moment(at: max(time, end - .nanoseconds(1)))
                try expect(last == moment, "frame \(moment.frame) is shown until \(end), but not shortly before")
                try expect(subject.frames.moment(at: end) != moment, "frame \(moment.frame) is shown after \(end)")
            }
        },
        ContractRule("each frame that an animation shows is available after it is prepared") { subject in
            for frame in Set(subject.moments.map { subject.frames.moment(at: $0).frame }).sorted().reversed() {
                try await subject.frames.prepare(from: frame)
                try expect(
                    subject.frames.cachedFrame(at: frame) != nil, "frame \(frame) is not available after it is prepared"
                )
            }
        },
        ContractRule("preparing a frame that does not exist fails") { subject in
            do { try await subject.frames.prepare(from: -1) } catch { return }
            throw ContractViolation("preparing frame -1 succeeds")
        },
    ]
}
