import ImageCore
import Synchronization

/// One who waits for shared work on a picture, from joining to the answer: everything about it that need not lie in the frame of an
/// asynchronous function. Must be ended, once.
final class PictureWait: Sendable {
    enum Beginning {
        case over(Result<LoadedImage, ImageError>)
        case waits(PictureWait)
    }

    let job: ImageJobKey
    let load: Load
    let waiting: Waiting
    let priority: RequestPriority
    /// Whether the picture is to be kept in memory.
    let keeps: Bool
    private let wishes: [ImageCacheKey]

    init(
        _ key: ImageCacheKey, _ load: Load, _ waiting: Waiting, _ priority: RequestPriority, keeps: Bool
    ) {
        self.load = load
        self.waiting = waiting
        self.priority = priority
        self.keeps = keeps
        job = ImageJobKey(load.request, image: key, reloadCount: load.reloadCount)
        wishes = load.request.previewWishes(key)
        if !wishes.isEmpty { load.loader.previewWishes.withLock { $0.began(wishes) } }
    }

    /// Wants something else from now on; nothing happens before it has joined.
    func prioritise(_ priority: RequestPriority) {
        load.loader.configuration.imageCoalescer.setPriority(priority, of: waiting.id)
    }

    /// The answer came, and nothing else was wanted of it. Keeps in memory what the shared work did not keep.
    func ended(with loaded: LoadedImage?) {
        if let loaded { noteAnswer(loaded) }
        if !wishes.isEmpty { load.loader.previewWishes.withLock { $0.ended(wishes) } }
    }

    /// The answer came, and with it the end of the request. Throws if it was cancelled.
    @inline(never)
    func succeeded(_ loaded: LoadedImage) throws(ImageError) -> LoadedImage {
        ended(with: loaded)
        let isCancelled = waiting.isCancelled()
        do throws(ImageError) {
            try load.succeeded(from: loaded.source, isCancelled: isCancelled)
        } catch {
            throw load.failed(error, isCancelled: isCancelled)
        }
        return loaded
    }

    /// No answer came, and with that the end of the request.
    @inline(never)
    func failed(_ error: any Error) -> ImageError {
        ended(with: nil)
        return load.failed(error, isCancelled: waiting.isCancelled())
    }

    /// One of both.
    func ended(_ answer: Result<LoadedImage, any Error>) -> Result<LoadedImage, ImageError> {
        do throws(ImageError) {
            switch answer {
            case .success(let loaded): return .success(try succeeded(loaded))
            case .failure(let error): throw failed(error)
            }
        } catch {
            return .failure(error)
        }
    }

    private func noteAnswer(_ loaded: LoadedImage) {
        if loaded.maker != waiting.id, loaded.source == .network, let bytes = loaded.encodedByteCount {
            load.send(.joined(bytes: bytes))
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
