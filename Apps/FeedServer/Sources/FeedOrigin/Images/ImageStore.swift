import Dispatch
public import ImageCore
import Synchronization

/// Draws images, and keeps them in memory until they exceed a limit.
///
/// Blocks the caller while an image is drawn. Callers that want the same image at the same time wait for one drawing.
public final class ImageStore: Sendable {
    /// Draws an image.
    public typealias Render = @Sendable (ImageRecipe) throws(ImageEncodingError) -> RenderedImage

    private final class Slot: Sendable {
        let image = Mutex<RenderedImage?>(nil)
    }

    private struct State {
        var slots: [ImageRecipe: Slot] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())
    private let byteLimit: Int
    private let turns: DispatchSemaphore
    private let render: Render

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - byteLimit: The size of the stored images in bytes. If they exceed it, all are removed.
    ///   - concurrency: The maximum number of images that are drawn at the same time.
    ///   - render: Draws an image.
    public init(byteLimit: Int = 512 << 20, concurrency: Int, render: @escaping Render) {
        self.byteLimit = byteLimit
        self.render = render
        turns = DispatchSemaphore(value: concurrency)
    }

    /// Returns an image. Draws it if it isn't stored.
    public func image(_ recipe: ImageRecipe) throws(ImageEncodingError) -> RenderedImage {
        let slot = state.withLock { state in
            let slot = state.slots[recipe] ?? Slot()
            state.slots[recipe] = slot
            return slot
        }
        return try slot.image.withLock { image throws(ImageEncodingError) in
            if let image { return image }
            let drawn = try draw(recipe)
            image = drawn
            return drawn
        }
    }

    private func draw(_ recipe: ImageRecipe) throws(ImageEncodingError) -> RenderedImage {
        turns.wait()
        defer { turns.signal() }
        let image = try render(recipe)
        state.withLock { state in
            state.bytes += image.bytes.count
            if state.bytes > byteLimit { state = State() }
        }
        return image
    }
}
