public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An animation whose frames are decoded on demand, within a memory limit.
///
/// To play it, get the current frame number from `moment(at:)`, show the frame that `cachedFrame(at:)` returns, and call
/// `prepare(from:)` when the frame number changes. Frames are composited on the canvas, upright, in sRGB and have the
/// requested size. You can request the frames in any order. Going back decodes again from the last independent frame.
///
/// Frames are decoded one at a time, on the executor of the calling task. To keep this work off the shared thread pool,
/// call from a task with its own task executor.
public final class AnimatedImage: AnimationFrames {
    /// The header of the file.
    public let header: ImageHeader
    private let timeline: AnimationTimeline
    private let window: Mutex<FrameWindow>
    private let decoder: SerialDecoder

    init(
        _ data: Data, decoder: DownsamplingDecoder, target: ImageTarget?, byteLimit: Int, lookahead: Int
    ) throws(DecodingFailure) {
        header = try decoder.header(of: data)
        let size = DecodingRequest(target: target).outputSize(for: header.size)
        timeline = AnimationTimeline(delays: header.frameDelays, loopCount: header.loopCount)
        window = Mutex(
            FrameWindow(
                frameCount: header.frameCount, frameByteCount: size.byteCount(.rgba8),
                byteLimit: byteLimit, lookahead: lookahead, repeats: header.loopCount != 1))
        self.decoder = SerialDecoder { () throws(DecodingFailure) in
            try decoder.makeFrameReader(of: data, target: target)
        }
    }

    /// The number of frames.
    public var frameCount: Int { header.frameCount }

    /// The size of the frames in memory, in bytes.
    var byteCount: Int { window.withLock { $0.byteCount } }

    public func moment(at elapsed: Duration) -> AnimationMoment { timeline.moment(at: elapsed) }

    /// Returns a frame if it is in memory. Does not wait for decoding.
    public func cachedFrame(at index: Int) -> Bitmap? { window.withLock { $0[index] } }

    /// Returns a frame and decodes it if necessary. Frames outside of the window that starts at this frame are released.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Throws: `.noSuchFrame`, `.cancelled`, or an error of the decoder.
    public func frame(at index: Int) async throws(DecodingFailure) -> Bitmap {
        guard (0..<frameCount).contains(index) else { throw .noSuchFrame(index, frameCount: frameCount) }
        window.withLock { $0.move(to: index) }
        return try await decodedFrame(at: index)
    }

    /// Decodes a frame, and as many of the next ones as fit in memory.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Throws: The errors of `frame(at:)`.
    public func prepare(from index: Int) async throws(DecodingFailure) {
        _ = try await frame(at: index)
        while let missing = window.withLock({ $0.nextMissing }) { _ = try await decodedFrame(at: missing) }
    }

    private func decodedFrame(at index: Int) async throws(DecodingFailure) -> Bitmap {
        if let cached = cachedFrame(at: index) { return cached }
        return try await decoder.frame(at: index, for: self)
    }

    /// Decodes one frame at a time. Keeps the canvas of the codec, so that each of a series of frames is decoded once.
    private actor SerialDecoder {
        private let open: @Sendable () throws(DecodingFailure) -> FrameReader
        private var reader: FrameReader?

        init(_ open: @escaping @Sendable () throws(DecodingFailure) -> FrameReader) { self.open = open }

        /// Decodes a frame and stores it, unless another call has stored it in the meantime.
        func frame(at index: Int, for animation: AnimatedImage) throws(DecodingFailure) -> Bitmap {
            if let decoded = animation.cachedFrame(at: index) { return decoded }
            let opened = if let reader { reader } else { try open() }
            reader = opened
            let bitmap = try opened.frame(at: index, isCancelled: { Task.isCancelled })
            animation.window.withLock { $0.insert(bitmap, at: index) }
            return bitmap
        }
    }
}

extension DownsamplingDecoder {
    /// Opens an animation whose frames are decoded on demand. A still image is an animation of one frame.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - target: The target size, or nil for the size of the canvas.
    ///   - byteLimit: The maximum size of the frames in memory, in bytes. One frame is kept even if it is larger.
    ///     If all frames fit, all are kept.
    ///   - lookahead: The number of frames to decode ahead of the current one.
    /// - Throws: An error of the decoder that opens the file.
    public func animatedImage(
        from data: Data, target: ImageTarget? = nil, byteLimit: Int = 16 << 20, lookahead: Int = 3
    ) throws(DecodingFailure) -> AnimatedImage {
        try AnimatedImage(data, decoder: self, target: target, byteLimit: byteLimit, lookahead: lookahead)
    }
}

/// A cache of the current frame of an animation and as many of the next ones as fit. A pure state machine.
struct FrameWindow {
    /// The maximum number of frames, at least 1.
    let capacity: Int
    private let frameCount: Int
    /// Whether the first frame follows the last.
    private let repeats: Bool
    private var frames: [Int: Bitmap] = [:]
    /// The frame that was requested last.
    private var current = 0

    /// - Parameters:
    ///   - byteLimit: The maximum size of all frames in bytes. One frame is kept even if it is larger.
    ///   - lookahead: The number of frames to decode ahead of the current one.
    init(frameCount: Int, frameByteCount: Int, byteLimit: Int, lookahead: Int, repeats: Bool) {
        self.frameCount = frameCount
        self.repeats = repeats
        let fitting = max(1, byteLimit / max(1, frameByteCount))
        capacity = fitting >= frameCount ? frameCount : min(fitting, 1 + min(max(0, lookahead), frameCount))
    }

    subscript(index: Int) -> Bitmap? { frames[index] }

    var byteCount: Int { frames.values.reduce(0) { $0 + $1.byteCount } }

    /// Moves the window to a frame and releases the frames outside of it.
    mutating func move(to index: Int) {
        current = index
        frames = frames.filter { isInWindow($0.key) }
    }

    /// The first missing frame of the window, in playing order.
    var nextMissing: Int? {
        (0..<capacity).lazy.compactMap(frame(after:)).first { frames[$0] == nil }
    }

    /// Stores a frame if it is inside the window.
    mutating func insert(_ bitmap: Bitmap, at index: Int) {
        if isInWindow(index) { frames[index] = bitmap }
    }

    private func isInWindow(_ index: Int) -> Bool {
        let distance = index - current
        if distance >= 0 { return distance < capacity }
        return repeats && distance + frameCount < capacity || capacity == frameCount
    }

    /// Returns the frame that is `distance` frames after the current one in playing order, or nil if there is none.
    private func frame(after distance: Int) -> Int? {
        let index = current + distance
        if index < frameCount { return index }
        return repeats || capacity == frameCount ? index - frameCount : nil
    }
}

/// Maps the playing time of an animation to a frame. It uses no clock.
struct AnimationTimeline: Hashable {
    /// The number of times the animation plays. 0 repeats it forever.
    private let loopCount: Int
    /// The end of each frame, from the start of a loop.
    private let ends: [Duration]

    /// - Parameter delays: The duration of each frame. Negative durations count as zero.
    init(delays: [Duration], loopCount: Int) {
        self.loopCount = max(0, loopCount)
        var end = Duration.zero
        ends = delays.map { delay in
            end += delay.limited
            return end
        }
    }

    /// Returns the frame at a time after the start. Negative times count as zero. A still image is at its end.
    func moment(at elapsed: Duration) -> AnimationMoment {
        guard ends.count > 1, let loop = ends.last, loop > .zero else { return AnimationMoment(frame: 0, isLast: true) }
        let (played, last) = (max(.zero, elapsed), ends.count - 1)
        let loops = Int(clamping: played.attoseconds / loop.attoseconds)
        if loopCount > 0, loops >= loopCount { return AnimationMoment(frame: last, isLast: true) }
        let within = Duration(attoseconds: played.attoseconds % loop.attoseconds)
        let frame = ends.firstIndex { $0 > within } ?? last
        return AnimationMoment(frame: frame, isLast: frame == last && loops + 1 == loopCount)
    }
}
