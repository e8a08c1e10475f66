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
                frameCount: header.frameCount, frameByteCount: size.area > Int.max / 4 ? .max : size.area * 4,
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
