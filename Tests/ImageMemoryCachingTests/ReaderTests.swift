import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ImageMemoryCaching

@Suite("Threads that look at the same time")
struct ReaderTests {
    @Test("two that have the same lock do not wait for each other more than once")
    func partWays() {
        let cache = MemoryCache<HeldKey, Int>(limits: CacheLimits(), readers: 2)
        let hold = Hold()
        cache.insert(1, for: HeldKey(number: 1, hold: nil))
        cache.insert(2, for: HeldKey(number: 2, hold: nil))
        let holder = Thread {
            _ = cache.value(for: HeldKey(number: 1, hold: hold))
            hold.isOver.signal()
        }
        holder.start()
        hold.hasBegun.wait()
        // It has one of two locks now. Whichever numbers these have, each finds the other lock and does not wait for the holder.
        for _ in 0..<4 {
            let found = Mutex<Int?>(nil)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let value = cache.value(for: HeldKey(number: 2, hold: nil))
                found.withLock { $0 = value }
                isDone.signal()
            }
            #expect(isDone.wait(timeout: .now() + 10) == .success)
            #expect(found.withLock { $0 } == 2)
        }
        hold.mayEnd.signal()
        hold.isOver.wait()
    }

    @Test("one that tells of its hits does not wait for another that looks")
    func tellsWhileOthersLook() {
        let cache = MemoryCache<HeldKey, Int>(limits: CacheLimits(), readers: 2)
        let hold = Hold()
        cache.insert(1, for: HeldKey(number: 1, hold: nil))
        let holder = Thread {
            _ = cache.value(for: HeldKey(number: 1, hold: hold))
            hold.isOver.signal()
        }
        holder.start()
        hold.hasBegun.wait()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            for _ in 0..<1_000 { _ = cache.value(for: HeldKey(number: 1, hold: nil)) }
            isDone.signal()
        }
        #expect(isDone.wait(timeout: .now() + 10) == .success)
        hold.mayEnd.signal()
        hold.isOver.wait()
        #expect(cache.statistics.hits == 1_001)
    }

    @Test("one that waits for a change keeps its lock, which nobody else looks with")
    func staysDuringChange() {
        for _ in 0..<50 {
            let cache = MemoryCache<HeldKey, Int>(limits: CacheLimits())
            let (hold, looks) = (Hold(), Hold())
            cache.insert(1, for: HeldKey(number: 1, hold: nil))
            Thread.detachNewThread {
                // Compares keys under all locks.
                cache.removeValue(for: HeldKey(number: 1, hold: hold))
                hold.isOver.signal()
            }
            hold.hasBegun.wait()
            let hasMoved = Mutex<Bool?>(nil)
            Thread.detachNewThread {
                let number = CallingThread.number
                looks.hasBegun.signal()
                _ = cache.value(for: HeldKey(number: 1, hold: nil))
                hasMoved.withLock { $0 = CallingThread.number != number }
                looks.isOver.signal()
            }
            looks.hasBegun.wait()
            hold.mayEnd.signal()
            hold.isOver.wait()
            looks.isOver.wait()
            #expect(hasMoved.withLock { $0 } == false)
        }
    }
}

/// Keeps a comparison going.
private final class Hold: Sendable {
    let hasBegun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
}

/// A key that is compared under the lock until its hold lets it go.
private struct HeldKey: Hashable, Sendable {
    let number: Int
    let hold: Hold?

    static func == (left: HeldKey, right: HeldKey) -> Bool {
        if let hold = left.hold ?? right.hold {
            hold.hasBegun.signal()
            hold.mayEnd.wait()
        }
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
