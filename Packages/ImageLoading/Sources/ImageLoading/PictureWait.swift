import ImageCore
import Synchronization

/// Who is told what comes to a `PictureWait`.
protocol PictureWaiter: AnyObject, Sendable {
    func progressed(_ progress: WorkProgress)
    /// The wait is over, and is to be ended.
    func succeeded(with loaded: LoadedImage, of wait: PictureWait)
    /// The wait is over, and is to be ended.
    func failed(with error: any Error, of wait: PictureWait)
}

/// One who waits for shared work on a picture, from joining to the answer. Must be ended, once.
final class PictureWait: SharedWorkWaiter {
    enum Beginning {
        case over(Result<LoadedImage, ImageError>)
        case waits(PictureWait)
    }

    let job: ImageJobKey
    let load: Load
    let priority: RequestPriority
    /// Whether the picture is to be kept in memory.
    let keeps: Bool
    private let waiter: any PictureWaiter
    private let wishes: [ImageCacheKey]

    init(
        _ request: ImageRequest, _ key: ImageCacheKey, _ load: Load, for waiter: any PictureWaiter,
        _ priority: RequestPriority, keeps: Bool
    ) {
        self.load = load
        self.waiter = waiter
        self.priority = priority
        self.keeps = keeps
        job = ImageJobKey(key, load.route, readsMemory: request.readsMemory)
        wishes = request.previewWishes(key)
        if !wishes.isEmpty { load.loader.previewWishes.withLock { $0.began(wishes) } }
    }

    func progressed(_ progress: WorkProgress) { waiter.progressed(progress) }
    func succeeded(with loaded: LoadedImage) { waiter.succeeded(with: loaded, of: self) }
    func failed(with error: any Error) { waiter.failed(with: error, of: self) }

    /// The answer came, and nothing else was wanted of it. Keeps in memory what the shared work did not keep.
    func ended(with loaded: LoadedImage?) {
        if let loaded { noteAnswer(loaded) }
        if !wishes.isEmpty { load.loader.previewWishes.withLock { $0.ended(wishes) } }
    }

    /// The answer came, and with it the end of the request. Throws if it was cancelled.
    @inline(never)
    func succeeded(_ loaded: LoadedImage, isCancelled: Bool) throws(ImageError) {
        ended(with: loaded)
        do throws(ImageError) {
            try load.succeeded(from: loaded.source, isCancelled: isCancelled)
        } catch {
            throw load.failed(error, isCancelled: isCancelled)
        }
    }

    /// No answer came, and with that the end of the request.
    @inline(never)
    func failed(_ error: any Error, isCancelled: Bool) -> ImageError {
        ended(with: nil)
        return load.failed(error, isCancelled: isCancelled)
    }

    private func noteAnswer(_ loaded: LoadedImage) {
        if loaded.source == .network, let bytes = loaded.encodedByteCount {
            load.noteJoining(of: loaded.maker, bytes: bytes)
        }
        // Work that was started for somebody who wanted no picture in memory.
        if keeps, !loaded.isInMemory { _ = load.loader.keep(loaded, for: self) }
    }
}

extension ImageRequest {
    /// The pictures of which previews must be made for this request: itself, and what its steps begin with.
    fileprivate func previewWishes(_ key: ImageCacheKey) -> [ImageCacheKey] {
        guard isProgressive else { return [] }
        return processors.isEmpty ? [key] : [key, ImageCacheKey(source: key.source, target: target)]
    }
}
