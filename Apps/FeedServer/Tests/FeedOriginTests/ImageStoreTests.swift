import Dispatch
import ImageCore
import Synchronization
import Testing

@testable import FeedOrigin

@Suite("The shelf of finished images")
struct ImageStoreTests {
    /// What happened, for closures on several threads.
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

    private func shelf(byteLimit: Int, _ log: Log) -> ImageStore {
        ImageStore(byteLimit: byteLimit, concurrency: 2) { recipe throws(EncodingFailure) in
            log.add(recipe.id)
            if recipe.id == 13 { throw .failed(.png, "unlucky") }
            return Self.image(recipe)
        }
    }

    @Test("an image that eight threads want at a time is made once, and all get it")
    func once() {
        let (made, tags) = (Log(), Log())
        let (arrived, finish, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let shelf = ImageStore(byteLimit: 1000, concurrency: 8, onWait: { arrived.signal() }) {
            recipe throws(EncodingFailure) in
            made.add(recipe.id)
            arrived.signal()
            finish.wait()
            return Self.image(recipe)
        }
        for _ in 0..<8 {
            let isStarted = startDetachedThread {
                do throws(EncodingFailure) { tags.add(try shelf.image(Self.recipe(5)).bytes.count) } catch {
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

    @Test("the byte budget holds, and what was used last stays")
    func budget() throws {
        let made = Log()
        let shelf = shelf(byteLimit: 250, made)
        for id in [1, 2, 1, 3, 1, 2] { _ = try shelf.image(Self.recipe(id)) }
        #expect(made.all == [1, 2, 3, 2])
        #expect(shelf.byteCount == 200)
    }

    @Test("an image above the budget is made each time and drives no other out")
    func tooLarge() throws {
        let made = Log()
        let shelf = shelf(byteLimit: 99, made)
        for _ in 0..<2 { _ = try shelf.image(Self.recipe(1)) }
        #expect(made.all == [1, 1])
        #expect(shelf.byteCount == 0)
    }

    @Test("a failure is told and not kept")
    func failure() {
        let made = Log()
        let shelf = shelf(byteLimit: 1000, made)
        for _ in 0..<2 {
            #expect(throws: EncodingFailure.failed(.png, "unlucky")) { try shelf.image(Self.recipe(13)) }
        }
        #expect(made.all == [13, 13])
    }
}
