public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An animation that can be played without holding all of its frames: header and timing at once, frames on demand.
///
/// A player asks `timeline` which frame is to be seen, takes it from `cachedFrame(at:)` without waiting, and calls
/// `prepare(from:)` whenever the frame changes, so that the next ones are there in time. Frames are composited on their
/// canvas, turned upright, in sRGB and at the size that was asked for. Any frame can be asked for at any time; going back
/// costs the frames since the last one that stands on its own.
///
/// ```swift
/// let animation = try decoder.animatedImage(from: data, target: target)
/// let position = animation.timeline.position(at: elapsed)
/// let image = animation.cachedFrame(at: position.frame) ?? lastShown
/// ```
///
/// Decoding happens one frame at a time, wherever the calling task runs: give it a task executor to keep it off the
/// shared threads.
public final class AnimatedImage: Sendable {
    public let header: ImageHeader
    /// Size of every frame, upright.
    public let size: PixelSize
    /// Which frame is to be seen when.
    public let timeline: AnimationTimeline

    private let store: FrameStore
    private let decoding: FrameDecoding

    /// Throws what opening the file throws.
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
        decoding = FrameDecoding(data, decoder: decoder, target: target, store: store)
    }

    public var frameCount: Int { header.frameCount }

    /// Bytes of the frames that are held now.
    public var byteCount: Int { store.window.withLock { $0.byteCount } }

    /// A frame that is decoded already, or nil. Never waits.
    public func cachedFrame(at index: Int) -> Bitmap? { store.window.withLock { $0[index] } }

    /// A frame, decoded if it must be. Those that are wanted after it are kept, others let go.
    ///
    /// Throws `.noSuchFrame`, `.cancelled`, and what decoding throws.
    public func frame(at index: Int) async throws(DecodingFailure) -> Bitmap {
        guard (0..<frameCount).contains(index) else { throw .noSuchFrame(index, frameCount: frameCount) }
        let cached = store.window.withLock { window in
            window.move(to: index)
            return window[index]
        }
        if let cached { return cached }
        return try await decoding.frame(at: index)
    }

    /// Decodes a frame and those that are seen after it, as many as may be held. Throws as `frame(at:)` does.
    public func prepare(from index: Int) async throws(DecodingFailure) {
        _ = try await frame(at: index)
        while let missing = store.window.withLock({ $0.nextMissing }) { _ = try await decoding.frame(at: missing) }
    }
}

extension AnimatedImage: AnimationFrames {
    public func moment(at elapsed: Duration) -> AnimationMoment {
        let position = timeline.position(at: elapsed)
        return AnimationMoment(frame: position.frame, isLast: position.isFinished)
    }
}

/// The frames in memory, shared by display and decoding.
private final class FrameStore: Sendable {
    let window: Mutex<FrameWindow>

    init(_ window: FrameWindow) { self.window = Mutex(window) }
}

extension DownsamplingDecoder {
    /// An animation whose frames are decoded when they are needed.
    ///
    /// - Parameters:
    ///   - byteLimit: for all frames that are held; one is held even when it is larger. If all fit, all are kept.
    ///   - lookahead: how many frames after the one that is seen are decoded beforehand.
    /// - Throws: what opening the file throws. A still image is an animation of one frame.
    public func animatedImage(
        from data: Data, target: ImageTarget? = nil, byteLimit: Int = 16 << 20, lookahead: Int = 3
    ) throws(DecodingFailure) -> AnimatedImage {
        try AnimatedImage(data, decoder: self, target: target, byteLimit: byteLimit, lookahead: lookahead)
    }
}

/// Decodes one frame at a time; keeps the codec's canvas from one to the next, so that playing in order costs one frame each.
private actor FrameDecoding {
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

    /// Decodes a frame and puts it into the store, unless someone has done so meanwhile.
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
