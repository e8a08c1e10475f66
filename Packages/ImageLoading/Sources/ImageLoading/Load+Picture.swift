import ImageCore
import Synchronization

/// A load that waits for shared work on its picture, from joining to the answer.
extension Load {
    enum Beginning {
        case over(Result<LoadedImage, ImageError>)
        case waits(Load)
    }

    /// The shared work for which it waits.
    var job: ImageJobKey { ImageJobKey(key, route, readsMemory: request.readsMemory) }

    /// It begins to wait, and must end that, once.
    func beganWait() {
        if request.isProgressive { loader.previewWishes.withLock { $0.began(wishes) } }
    }

    /// The answer came, and nothing else was wanted of it. Keeps in memory what the shared work did not keep.
    func endedWait(with loaded: LoadedImage?) {
        if let loaded {
            keep(loaded)
            if let joining = joining(loaded) { send(joining) }
        }
        endWishes()
    }

    private func endWishes() {
        if request.isProgressive { loader.previewWishes.withLock { $0.ended(wishes) } }
    }

    /// The answer came, and with it the end of the request. Throws if it was cancelled.
    @inline(never)
    func ended(with loaded: LoadedImage, isCancelled: Bool) throws(ImageError) {
        keep(loaded)
        endWishes()
        do throws(ImageError) {
            try succeeded(from: loaded.source, joining(loaded), isCancelled: isCancelled)
        } catch {
            throw failed(error, isCancelled: isCancelled)
        }
    }

    /// No answer came, and with that the end of the request.
    @inline(never)
    func ended(with error: any Error, isCancelled: Bool) -> ImageError {
        endWishes()
        return failed(error, isCancelled: isCancelled)
    }

    /// The pictures of which previews must be made for a progressive request: itself, and what its steps begin with.
    private var wishes: [ImageCacheKey] {
        if request.processors.isEmpty { return [key] }
        return [key, ImageCacheKey(source: key.source, target: request.target)]
    }

    private func joining(_ loaded: LoadedImage) -> ImageLoadEvent.Kind? {
        joining(of: loaded.maker, loaded.source, bytes: loaded.encodedByteCount)
    }

    /// Keeps in memory what was made by work that was started for somebody who wanted no picture there.
    private func keep(_ loaded: LoadedImage) {
        if request.cachePolicy.memory.writes, !loaded.isInMemory { _ = loader.keep(loaded, for: self) }
    }
}
