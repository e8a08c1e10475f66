import ImageCore
import ImageTransporting
import Synchronization

/// An animation that all who show it share. Frames are decoded on demand in the decode lane, and processed.
///
/// The first frame is that of the memory cache. The others are kept in a window, whose size depends on the number of
/// animations.
final class SharedAnimation: AnimationFrames {
    /// The encoded original.
    let data: Data
    /// The priority of decoding: the highest of those who share the animation.
    let priority: LivePriority
    private let first: DecodedImage
    private let request: ImageRequest
    private let key: ImageCacheKey
    private let loader: ImageLoader
    private let timeline: AnimationTimeline
    private let window: Mutex<FrameWindow>
    private let reader: SerialReader

    init(
        _ image: DecodedImage, _ data: Data, of request: ImageRequest, _ key: ImageCacheKey, _ priority: LivePriority,
        loader: ImageLoader
    ) {
        first = image
        self.data = data
        self.request = request
        self.key = key
        self.priority = LivePriority(priority.value)
        self.loader = loader
        let header = image.header
        timeline = AnimationTimeline(delays: header.frameDelays, loopCount: header.loopCount)
        window = Mutex(
            FrameWindow(
                frameCount: header.frameCount, frameByteCount: image.bitmap.byteCount, repeats: header.loopCount != 1))
        reader = SerialReader { [decoder = loader.configuration.decoder] () throws(ImageDecodingError) in
            try decoder.makeFrameReader(of: data, request: request.decoding)
        }
    }

    deinit { loader.animations.remove(key) }

    /// Returns whether an image is the first frame, not only an equal one.
    func isShown(by image: DecodedImage) -> Bool { image.bitmap.sharesPixels(with: first.bitmap) }

    func moment(at elapsed: Duration) -> AnimationMoment { timeline.moment(at: elapsed) }

    func cachedFrame(at index: Int) -> Bitmap? { index == 0 ? first.bitmap : window.withLock { $0[index] } }

    /// Releases the frames that no longer fit.
    func trim() { window.withLock { $0.resize(to: loader.animations.byteLimitPerAnimation) } }

    @concurrent func prepare(from index: Int) async throws(ImageError) {
        let count = first.header.frameCount
        guard (0..<count).contains(index) else { throw .decoding(.noSuchFrame(index, frameCount: count)) }
        window.withLock { $0.move(to: index, within: loader.animations.byteLimitPerAnimation) }
        do {
            try await decode(index)
        } catch {
            throw ImageError(error)
        }
        while !Task.isCancelled, let next = window.withLock({ $0.nextMissing }) {
            // A later frame that can't be decoded is an error when it is due.
            do { try await decode(next) } catch { return }
        }
    }

    /// Decodes a frame, unless it is in memory. Callers for the same frame share the work.
    private func decode(_ index: Int) async throws {
        if let cached = cachedFrame(at: index) { return window.withLock { $0.insert(cached, at: index) } }
        let key = OperationKey(.frame(ObjectIdentifier(self), index), CacheUse(request))
        try await loader.decodeOnce(key, priority) {
            if self.cachedFrame(at: index) != nil { return }
            var image = self.first
            image.bitmap = try await self.reader.frame(at: index)
            image = try image.processed(by: self.request.processors, isCancelled: { Task.isCancelled })
            self.window.withLock { [bitmap = image.bitmap] in $0.insert(bitmap, at: index) }
        }
    }

    /// Reads one frame at a time. Keeps the canvas of the codec, so that each of a series of frames is decoded once.
    private actor SerialReader {
        private let open: @Sendable () throws(ImageDecodingError) -> any FrameReader
        private var opened: (any FrameReader)?

        init(_ open: @escaping @Sendable () throws(ImageDecodingError) -> any FrameReader) { self.open = open }

        func frame(at index: Int) throws(ImageDecodingError) -> Bitmap {
            let reader = if let opened { opened } else { try open() }
            opened = reader
            return try reader.frame(at: index, isCancelled: { Task.isCancelled })
        }
    }
}
