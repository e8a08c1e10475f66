import Dispatch
import ImageCore
import Synchronization
import Testing

@testable import FeedOrigin

@Suite("Image store")
struct ImageStoreTests {
    /// The ids of the images that a store has drawn.
    private final class Drawings: Sendable {
        private let ids = Mutex<[Int]>([])
        var all: [Int] { ids.withLock { $0 } }

        func store(byteLimit: Int) -> ImageStore {
            ImageStore(byteLimit: byteLimit, concurrency: 2) { recipe throws(ImageEncodingError) in
                self.ids.withLock { $0.append(recipe.id) }
                if recipe.id == 13 { throw .failed(.png, "unlucky") }
                return RenderedImage(bytes: [UInt8](repeating: 7, count: 100), entityTag: "\"\(recipe.id)\"")
            }
        }
    }

    private let drawings = Drawings()

    private func recipe(_ id: Int) -> ImageRecipe { ImageRecipe(id: id, format: .png, width: 4, height: 4) }

    @Test("an image that eight threads request at the same time is drawn once, and all receive it")
    func once() {
        let store = drawings.store(byteLimit: 1000)
        let counts = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let count = (try? store.image(recipe(5)).bytes.count) ?? 0
            counts.withLock { $0.append(count) }
        }
        #expect(drawings.all == [5])
        #expect(counts.withLock { $0 } == Array(repeating: 100, count: 8))
    }

    @Test("if the images exceed the limit, all are drawn again")
    func limit() throws {
        let store = drawings.store(byteLimit: 250)
        for id in [1, 2, 1, 3, 1, 2] { _ = try store.image(recipe(id)) }
        #expect(drawings.all == [1, 2, 3, 1, 2])
    }

    @Test("an error is thrown each time and not stored")
    func failure() {
        let store = drawings.store(byteLimit: 1000)
        for _ in 0..<2 {
            #expect(throws: ImageEncodingError.failed(.png, "unlucky")) { try store.image(recipe(13)) }
        }
        #expect(drawings.all == [13, 13])
    }
}
