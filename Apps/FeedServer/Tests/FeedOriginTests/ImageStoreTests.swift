import Dispatch
import ImageCore
import Synchronization
import Testing

@testable import FeedOrigin

@Suite("Image store")
struct ImageStoreTests {
    /// A log of events from multiple threads.
    private final class Log: Sendable {
        private let entries = Mutex<[Int]>([])
        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    private static func recipe(_ id: Int) -> ImageRecipe { ImageRecipe(id: id, format: .png, width: 4, height: 4) }

    private static func image(_ recipe: ImageRecipe) -> RenderedImage {
        RenderedImage(
            bytes: [UInt8](repeating: 7, count: 100), entityTag: "\"\(recipe.id)\"",
            lastModified: HTTPDate(secondsSince1970: 0), contentType: "image/png")
    }

    private func store(byteLimit: Int, _ log: Log) -> ImageStore {
        ImageStore(byteLimit: byteLimit, concurrency: 2) { recipe throws(EncodingFailure) in
            log.add(recipe.id)
            if recipe.id == 13 { throw .failed(.png, "unlucky") }
            return Self.image(recipe)
        }
    }

    @Test("an image that eight threads request at the same time is rendered once, and all receive it")
    func once() {
        let (made, tags) = (Log(), Log())
        let (arrived, finish, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let store = ImageStore(byteLimit: 1000, concurrency: 8, onWait: { arrived.signal() }) {
            recipe throws(EncodingFailure) in
            made.add(recipe.id)
            arrived.signal()
            finish.wait()
            return Self.image(recipe)
        }
        for _ in 0..<8 {
            let isStarted = startDetachedThread {
                do throws(EncodingFailure) { tags.add(try store.image(Self.recipe(5)).bytes.count) } catch {
                    tags.add(0)
                }
                done.signal()
            }
            #expect(isStarted)
        }
        for _ in 0..<8 { arrived.wait() }
        for _ in 0..<8 { finish.signal() }
        for _ in 0..<8 { done.wait() }
        #expect(made.all == [5])
        #expect(tags.all == Array(repeating: 100, count: 8))
    }

    @Test("the byte limit is respected, and the least recently used image is evicted")
    func budget() throws {
        let made = Log()
        let store = store(byteLimit: 250, made)
        for id in [1, 2, 1, 3, 1, 2] { _ = try store.image(Self.recipe(id)) }
        #expect(made.all == [1, 2, 3, 2])
        #expect(store.byteCount == 200)
    }

    @Test("an image that exceeds the limit is rendered each time and not stored")
    func tooLarge() throws {
        let made = Log()
        let store = store(byteLimit: 99, made)
        for _ in 0..<2 { _ = try store.image(Self.recipe(1)) }
        #expect(made.all == [1, 1])
        #expect(store.byteCount == 0)
    }

    @Test("an error is thrown each time and not stored")
    func failure() {
        let made = Log()
        let store = store(byteLimit: 1000, made)
        for _ in 0..<2 {
            #expect(throws: EncodingFailure.failed(.png, "unlucky")) { try store.image(Self.recipe(13)) }
        }
        #expect(made.all == [13, 13])
    }
}
