import Dispatch
public import ImageCore
import Synchronization

/// Keeps finished images within a byte budget, and has each made once however many threads ask for it at a time.
///
/// Callers block while an image is made: this is for threads, never for the cooperative pool.
public final class ImageStore: Sendable {
    public typealias Make = @Sendable (ImageRecipe) throws(EncodingFailure) -> RenderedImage

    fileprivate struct Entry {
        var image: RenderedImage
        var lastUse: UInt64
    }

    fileprivate struct State {
        var entries: [ImageRecipe: Entry] = [:]
        var commissions: [ImageRecipe: Commission] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let byteLimit: Int
    private let easels: DispatchSemaphore
    private let make: Make
    /// Called when someone begins to wait for an image that another thread makes.
    private let onWait: @Sendable () -> Void

    /// - Parameters:
    ///   - byteLimit: images above it are made but not kept.
    ///   - concurrency: how many images are made at a time.
    public convenience init(byteLimit: Int, concurrency: Int, make: @escaping Make) {
        self.init(byteLimit: byteLimit, concurrency: concurrency, onWait: {}, make: make)
    }

    init(byteLimit: Int, concurrency: Int, onWait: @escaping @Sendable () -> Void, make: @escaping Make) {
        self.onWait = onWait
        self.byteLimit = byteLimit
        self.make = make
        easels = DispatchSemaphore(value: concurrency)
    }

    /// Bytes of the images that are kept.
    public var byteCount: Int { state.withLock { $0.bytes } }

    public func image(_ recipe: ImageRecipe) throws(EncodingFailure) -> RenderedImage {
        switch state.withLock({ $0.lookUp(recipe) }) {
        case .kept(let image): return image
        case .comes(let commission):
            onWait()
            return try commission.wait()
        case .make(let commission): return try fulfil(commission, recipe)
        }
    }

    private func fulfil(_ commission: Commission, _ recipe: ImageRecipe) throws(EncodingFailure) -> RenderedImage {
        easels.wait()
        let result: Result<RenderedImage, EncodingFailure>
        do throws(EncodingFailure) { result = .success(try make(recipe)) } catch { result = .failure(error) }
        easels.signal()
        state.withLock { state in
            state.commissions[recipe] = nil
            if case .success(let image) = result { state.keep(image, for: recipe, limit: byteLimit) }
        }
        commission.deliver(result)
        return try result.get()
    }
}

extension ImageStore.State {
    fileprivate enum Answer {
        case kept(RenderedImage)
        case comes(Commission)
        case make(Commission)
    }

    fileprivate mutating func lookUp(_ recipe: ImageRecipe) -> Answer {
        uses += 1
        if let image = entries[recipe]?.image {
            entries[recipe]?.lastUse = uses
            return .kept(image)
        }
        if let commission = commissions[recipe] { return .comes(commission) }
        let commission = Commission()
        commissions[recipe] = commission
        return .make(commission)
    }

    /// Looks through all entries for the oldest: there are hundreds at most, and only drawing an image comes here.
    fileprivate mutating func keep(_ image: RenderedImage, for recipe: ImageRecipe, limit: Int) {
        guard image.bytes.count <= limit else { return }
        entries[recipe] = ImageStore.Entry(image: image, lastUse: uses)
        bytes += image.bytes.count
        while bytes > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            bytes -= oldest.value.image.bytes.count
        }
    }
}

/// An image that one thread makes and others wait for.
private final class Commission: Sendable {
    private let result = Mutex<Result<RenderedImage, EncodingFailure>?>(nil)
    private let done = DispatchGroup()

    init() { done.enter() }

    func deliver(_ made: Result<RenderedImage, EncodingFailure>) {
        result.withLock { $0 = made }
        done.leave()
    }

    func wait() throws(EncodingFailure) -> RenderedImage {
        done.wait()
        guard let made = result.withLock({ $0 }) else { throw .failed(.jpeg, "the image was never delivered") }
        return try made.get()
    }
}
