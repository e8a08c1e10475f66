import ImageContractTesting
import ImageCore
import ImageLoading
import ImageTesting
import Testing

@Suite("The contract of AnimationFrames")
struct AnimationFramesContractTests {
    typealias Rule = ContractRule<AnimationFramesContract.Subject>

    @Test(
        "still images and animations that play once, twice and forever pass", arguments: 0..<3,
        AnimationFramesContract.rules)
    func real(_ loops: Int, _ rule: Rule) async throws {
        for count in [1, 5] {
            let image = FakeImage(
                PixelSize(width: 8, height: 8), frames: (0..<count).map { [UInt8($0), 0, 0, 255] },
                delays: Array(repeating: .milliseconds(50), count: count), loopCount: loops)
            let bed = LoaderTestBed { $0.animationByteLimit = 512 }
            let animation = try await bed.loader.animation(for: ImageRequest(.data(image.encoded, name: "\(loops)")))
            try await rule.check(.init(animation.frames, duration: .milliseconds(600)))
        }
    }

    @Test("each rule fails for an animation that breaks it", arguments: BrokenFrames.Defect.allCases)
    func brokenDouble(_ defect: BrokenFrames.Defect) async throws {
        let rule = try #require(AnimationFramesContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenFrames(defect: defect), duration: .seconds(4)))
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(AnimationFramesContract.rules.map(\.name)) == Set(BrokenFrames.Defect.allCases.map(\.rawValue)))
    }
}

/// An animation of two frames with one second each. It plays once and breaks one rule.
final class BrokenFrames: AnimationFrames {
    enum Defect: String, CaseIterable, Sendable {
        case startsLate = "an animation shows its first frame at the start"
        case isUnstable = "an animation returns the same moment for a time, in any order of calls"
        case continues = "an animation never changes after a moment that is marked as the last"
        case endsEarly = "an animation shows each frame until the end of its moment, and then another one"
        case cachesNothing = "each frame that an animation shows is available after it is prepared"
        case acceptsAnyFrame = "preparing a frame that does not exist fails"
    }

    private let defect: Defect
    private let calls = MessageLog<Int>()

    init(defect: Defect) { self.defect = defect }

    func moment(at elapsed: Duration) -> AnimationMoment {
        calls.append(0)
        let frame = elapsed >= .seconds(1) ? 1 : 0
        let end: Duration? = frame == 1 ? nil : .seconds(1)
        return switch defect {
        case .startsLate: AnimationMoment(frame: 1, end: nil)
        case .isUnstable: AnimationMoment(frame: calls.messages.count % 2, end: end)
        case .continues: AnimationMoment(frame: Int(elapsed / .seconds(1)) % 2, end: end)
        case .endsEarly: AnimationMoment(frame: frame, end: end.map { $0 - .milliseconds(500) })
        case .cachesNothing, .acceptsAnyFrame: AnimationMoment(frame: frame, end: end)
        }
    }

    func cachedFrame(at index: Int) -> Bitmap? {
        defect == .cachesNothing
            ? nil : Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255], isOpaque: true)
    }

    @concurrent func prepare(from index: Int) async throws(ImageError) {
        if index < 0, defect != .acceptsAnyFrame { throw .decoding(.noSuchFrame(index, frameCount: 2)) }
    }
}
