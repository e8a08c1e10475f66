public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An animation whose frames are decoded on demand, within a memory limit.
///
/// To play it, get the current frame number from `timeline`, show the frame that `cachedFrame(at:)` returns, and call
/// `prepare(from:)` when the frame number changes. Frames are composited on the canvas, upright, in sRGB and have the
/// requested size. You can request the frames in any order. Going back decodes again from the last independent frame.
///
/// ```swift
/// let animation = try decoder.animatedImage(from: data, target: target)
/// let position = animation.timeline.position(at: elapsed)
/// let image = animation.cachedFrame(at: position.frame) ?? previousImage
/// ```
///
/// Frames are decoded one at a time, on the executor of the calling task. To keep this work off the shared thread pool,
/// call from a task with its own task executor.
public final class AnimatedImage: Sendable {
    /// The header of the file.
    public let header: ImageHeader
    /// The size of each upright frame in pixels.
    public let size: PixelSize
    /// The schedule of the frames.
    public let timeline: AnimationTimeline

    private let store: FrameStore
    private let frameDecoder: SerialFrameDecoder

    init(
        _ data: Data, decoder: DownsamplingDecoder, target: ImageTarget?, byteLimit: Int, lookahead: Int
    ) throws(DecodingFailure) {
        header = try decoder.header(of: data)
        size = DecodingRequest(target: target).outputSize(for: header.size)
        timeline = AnimationTimeline(header)
        store = FrameStore(
            FrameWindow(
                frameCount: header.frameCount, frameByteCount: size.area > Int.max / 4 ? .max : size.area * 4,
                byteLimit: byteLimit, lookahead: lookahead, repeats: header.loopCount != 1))
        frameDecoder = SerialFrameDecoder(data, decoder: decoder, target: target, store: store)
    }

    /// The number of frames.
    public var frameCount: Int { header.frameCount }

    /// The size of the frames in memory, in bytes.
    public var byteCount: Int { store.window.withLock { $0.byteCount } }

    /// Returns a frame if it is in memory. Does not wait for decoding.
    public func cachedFrame(at index: Int) -> Bitmap? { store.window.withLock { $0[index] } }

    /// Returns a frame and decodes it if necessary. Frames outside of the window that starts at this frame are released.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Throws: `.noSuchFrame`, `.cancelled`, or an error of the decoder.
    public func frame(at index: Int) async throws(DecodingFailure) -> Bitmap {
        guard (0..<frameCount).contains(index) else { throw .noSuchFrame(index, frameCount: frameCount) }
        let cached = store.window.withLock { window in
            window.move(to: index)
            return window[index]
        }
        if let cached { return cached }
        return try await frameDecoder.frame(at: index)
    }

    /// Decodes a frame, and as many of the next ones as fit in memory.
    ///
    /// - Parameter index: The frame, from 0.
    /// - Throws: The errors of `frame(at:)`.
    public func prepare(from index: Int) async throws(DecodingFailure) {
        _ = try await frame(at: index)
        while let missing = store.window.withLock({ $0.nextMissing }) { _ = try await frameDecoder.frame(at: missing) }
    }
}

extension AnimatedImage: AnimationFrames {
    public func moment(at elapsed: Duration) -> AnimationMoment {
        let position = timeline.position(at: elapsed)
        return AnimationMoment(frame: position.frame, isLast: position.isFinished)
    }
}

/// The frames in memory. Shared by `AnimatedImage` and its decoder.
private final class FrameStore: Sendable {
    let window: Mutex<FrameWindow>

    init(_ window: FrameWindow) { self.window = Mutex(window) }
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

/// Decodes one frame at a time. Keeps the canvas of the codec, so that each of a series of frames is decoded once.
private actor SerialFrameDecoder {
    private let data: Data
    private let decoder: DownsamplingDecoder
    private let target: ImageTarget?
    private let store: FrameStore
    private var reader: FrameReader?

    init(_ data: Data, decoder: DownsamplingDecoder, target: ImageTarget?, store: FrameStore) {
        self.data = data
        self.decoder = decoder
        self.target = target
        self.store = store
    }

    /// Decodes a frame and stores it, unless another call has stored it in the meantime.
    func frame(at index: Int) throws(DecodingFailure) -> Bitmap {
        if let decoded = store.window.withLock({ $0[index] }) { return decoded }
        let bitmap = try openedReader().frame(at: index, isCancelled: { Task.isCancelled })
        store.window.withLock { $0.insert(bitmap, at: index) }
        return bitmap
    }

    private func openedReader() throws(DecodingFailure) -> FrameReader {
        if let reader { return reader }
        let opened = try decoder.makeFrameReader(of: data, target: target)
        reader = opened
        return opened
    }
}
