import Dispatch
public import ImageCore
import Synchronization

/// A cache of rendered images with a byte limit. Renders an image only once if multiple threads request it at the same
/// time.
///
/// Blocks the caller while an image is rendered. Don't use it on the cooperative thread pool.
public final class ImageStore: Sendable {
    /// Renders an image.
    public typealias Render = @Sendable (ImageRecipe) throws(EncodingFailure) -> RenderedImage

    fileprivate struct Entry {
        var image: RenderedImage
        var lastUse: UInt64
    }

    fileprivate struct State {
        var entries: [ImageRecipe: Entry] = [:]
        var pendingImages: [ImageRecipe: PendingImage] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let byteLimit: Int
    private let renderSlots: DispatchSemaphore
    private let render: Render
    /// Called when a caller starts to wait for an image that another thread renders.
    private let onWait: @Sendable () -> Void

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - byteLimit: The maximum size of the stored images in bytes. A larger image is rendered but not stored.
    ///   - concurrency: The maximum number of images that are rendered at the same time.
    ///   - render: Renders an image.
    public convenience init(byteLimit: Int, concurrency: Int, render: @escaping Render) {
        self.init(byteLimit: byteLimit, concurrency: concurrency, onWait: {}, render: render)
    }

    init(byteLimit: Int, concurrency: Int, onWait: @escaping @Sendable () -> Void, render: @escaping Render) {
        self.onWait = onWait
        self.byteLimit = byteLimit
        self.render = render
        renderSlots = DispatchSemaphore(value: concurrency)
    }

    /// The size of the stored images in bytes.
    public var byteCount: Int { state.withLock { $0.bytes } }

    /// Returns an image. Renders it if it isn't stored.
    public func image(_ recipe: ImageRecipe) throws(EncodingFailure) -> RenderedImage {
        switch state.withLock({ $0.lookUp(recipe) }) {
        case .stored(let image): return image
        case .pending(let pendingImage):
            onWait()
            return try pendingImage.wait()
        case .new(let pendingImage): return try complete(pendingImage, recipe)
        }
    }

    private func complete(_ pendingImage: PendingImage, _ recipe: ImageRecipe) throws(EncodingFailure) -> RenderedImage
    {
        renderSlots.wait()
        let result: Result<RenderedImage, EncodingFailure>
        do throws(EncodingFailure) { result = .success(try render(recipe)) } catch { result = .failure(error) }
        renderSlots.signal()
        state.withLock { state in
            state.pendingImages[recipe] = nil
            if case .success(let image) = result { state.insert(image, for: recipe, limit: byteLimit) }
        }
        pendingImage.complete(with: result)
        return try result.get()
    }
}

extension ImageStore.State {
    fileprivate enum LookUp {
        case stored(RenderedImage)
        /// Another thread renders the image.
        case pending(PendingImage)
        /// The caller must render the image.
        case new(PendingImage)
    }

    fileprivate mutating func lookUp(_ recipe: ImageRecipe) -> LookUp {
        uses += 1
        if let image = entries[recipe]?.image {
            entries[recipe]?.lastUse = uses
            return .stored(image)
        }
        if let pendingImage = pendingImages[recipe] { return .pending(pendingImage) }
        let pendingImage = PendingImage()
        pendingImages[recipe] = pendingImage
        return .new(pendingImage)
    }

    /// Stores an image and evicts the least recently used ones.
    ///
    /// Searches all entries for the oldest. There are at most hundreds, and drawing an image takes much longer.
    fileprivate mutating func insert(_ image: RenderedImage, for recipe: ImageRecipe, limit: Int) {
        guard image.bytes.count <= limit else { return }
        entries[recipe] = ImageStore.Entry(image: image, lastUse: uses)
        bytes += image.bytes.count
        while bytes > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            bytes -= oldest.value.image.bytes.count
        }
    }
}

/// An image that one thread renders while others wait for it.
private final class PendingImage: Sendable {
    private let result = Mutex<Result<RenderedImage, EncodingFailure>?>(nil)
    private let done = DispatchGroup()

    init() { done.enter() }

    func complete(with newResult: Result<RenderedImage, EncodingFailure>) {
        result.withLock { $0 = newResult }
        done.leave()
    }

    func wait() throws(EncodingFailure) -> RenderedImage {
        done.wait()
        guard let finished = result.withLock({ $0 }) else { throw .failed(.jpeg, "the image was not rendered") }
        return try finished.get()
    }
}
