public import ImageCore

/// The promises of `AnimationFrames`.
public enum AnimationFramesContract {
    /// An animation, and how long it is looked at: at least two of its loops.
    public struct Subject: Sendable {
        public var frames: any AnimationFrames
        public var duration: Duration

        public init(_ frames: any AnimationFrames, duration: Duration) {
            self.frames = frames
            self.duration = duration
        }

        /// Moments from the start to the end, and far beyond.
        fileprivate var moments: [Duration] { (0...200).map { duration * $0 / 200 } + [duration * 1_000] }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("shows its first frame at the start") { subject in
            let moment = subject.frames.moment(at: .zero)
            try expect(moment.frame == 0, "frame \(moment.frame) at the start")
        },
        ContractRule("says the same of a moment each time, in whatever order it is asked") { subject in
            let forwards = subject.moments.map { subject.frames.moment(at: $0) }
            let backwards = subject.moments.reversed().map { subject.frames.moment(at: $0) }
            try expect(forwards == Array(backwards.reversed()), "another answer the second time")
        },
        ContractRule("once nothing changes any more, nothing does") { subject in
            let moments = subject.moments.map { subject.frames.moment(at: $0) }
            guard let last = moments.firstIndex(where: \.isLast) else { return }
            try expect(Set(moments[last...]).count == 1, "changes after its last frame")
        },
        ContractRule("has each frame that it names, once that is prepared") { subject in
            for frame in Set(subject.moments.map { subject.frames.moment(at: $0).frame }).sorted().reversed() {
                try await subject.frames.prepare(from: frame)
                try expect(subject.frames.cachedFrame(at: frame) != nil, "no frame \(frame) after its preparation")
            }
        },
        ContractRule("throws for a frame that there is not") { subject in
            do { try await subject.frames.prepare(from: -1) } catch { return }
            throw ContractViolation("prepared frame -1")
        },
    ]
}
