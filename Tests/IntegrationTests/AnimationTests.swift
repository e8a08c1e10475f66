import Foundation
import ImageCodecGIF
import ImageCore
import ImageLoaderKit
import ImageLoading
import Testing

@testable import GeneratedImages

@Suite("Animations through the composed loader", .timeLimit(.minutes(10)))
struct AnimationTests {
    private func frames(
        of file: Data, adjust: (inout ImageLoaderOptions) -> Void = { _ in }
    ) async throws -> any AnimationFrames {
        var options = ImageLoaderOptions(cacheDirectory: nil)
        adjust(&options)
        return try await ImageLoader(options).animation(for: ImageRequest(.data(file, name: "animation"))).frames
    }

    /// Returns an animation in which one row after the other takes one color after the other.
    private func rows(_ side: Int, frames: Int) -> Data {
        var file = GIFBuilder(side, side)
        file.loop(0)
        for frame in 0..<frames {
            file.control(delay: 2)
            let isWhole = frame == 0
            let row = [UInt8](repeating: UInt8(frame / side % 8), count: isWhole ? side * side : side)
            file.image(0, isWhole ? 0 : frame % side, side, isWhole ? side : 1, row)
        }
        return file.finished
    }

    @Test("of 12,000 frames, as many are in memory as the limit allows, at each moment of the animation")
    func manyFrames() async throws {
        let (side, limit) = (16, 10_000)
        let frames = try await frames(of: rows(side, frames: 12_000)) { $0.animationByteLimit = limit }
        var time = Duration.zero
        while time < .seconds(480) {
            let frame = frames.moment(at: time).frame
            #expect(frame == Int(time / .milliseconds(20)) % 12_000)
            try await frames.prepare(from: frame)
            let pixel = frames.cachedFrame(at: frame)?.pixels[frame % side * side * 4]
            #expect(pixel == GIFBuilder.colors[frame / side % 8][0])
            let cached = (1..<12_000).count { frames.cachedFrame(at: $0) != nil }
            #expect((1...limit / (side * side * 4)).contains(cached), "\(cached) frames at \(time)")
            time += .milliseconds(frame < 40 || frame > 11_960 ? 20 : 2_540)
        }
    }

    @Test(
        "delays of 10 ms and less become 100 ms, and longer ones are obeyed",
        arguments: [(0, 100), (1, 100), (2, 20), (3, 30), (10, 100), (100, 1_000)])
    func delays(_ hundredths: Int, _ milliseconds: Int) async throws {
        var file = GIFBuilder(4, 4)
        file.loop(0)
        for index: UInt8 in 0..<3 {
            file.control(delay: hundredths)
            file.image(0, 0, 4, 4, Array(repeating: index, count: 16))
        }
        let frames = try await frames(of: file.finished)
        for frame in 0..<6 {
            let start = Duration.milliseconds(frame * milliseconds)
            #expect(frames.moment(at: start).frame == frame % 3)
            #expect(frames.moment(at: start + .milliseconds(milliseconds) - .nanoseconds(1)).frame == frame % 3)
        }
    }

    @Test(
        "an animation plays as often as its file says: once without a loop extension",
        arguments: [(nil, 1), (0, 0), (1, 2), (2, 3), (65_535, 65_536)] as [(Int?, Int)])
    func loops(_ repetitions: Int?, _ count: Int) async throws {
        var file = GIFBuilder(4, 4)
        if let repetitions { file.loop(repetitions) }
        for index: UInt8 in 0..<2 {
            file.control(delay: 10)
            file.image(0, 0, 4, 4, Array(repeating: index, count: 16))
        }
        let frames = try await frames(of: file.finished)
        let end = Duration.milliseconds(200) * max(1, count)
        #expect(frames.moment(at: end - .milliseconds(150)) == AnimationMoment(frame: 0, end: end - .milliseconds(100)))
        #expect(frames.moment(at: end).isLast == (count > 0))
        #expect(frames.moment(at: end).frame == (count > 0 ? 1 : 0))
    }

    @Test("of a file that ends within a frame, the frames before it are shown, and the frame is an error")
    func truncated() async throws {
        let file = rows(16, frames: 40)
        let whole = try await frames(of: file)
        let damaged = try await frames(of: file.prefix(file.count / 2))
        var index = 0
        await #expect(throws: ImageError.decoding(.truncated(.gif))) {
            while index < 40 {
                try await damaged.prepare(from: index)
                try await whole.prepare(from: index)
                #expect(damaged.cachedFrame(at: index) == whole.cachedFrame(at: index))
                index += 1
            }
        }
        #expect(index > 10)
    }
}
