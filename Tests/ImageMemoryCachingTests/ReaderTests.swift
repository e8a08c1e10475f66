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
        hold.begin { _ = cache.value(for: HeldKey(number: 1, hold: hold)) }
        // It has one of two locks now. Whichever numbers these have, each finds the other lock and does not wait for the holder.
        for _ in 0..<4 { #expect(soonOnNewThread { cache.value(for: HeldKey(number: 2, hold: nil)) } == 2) }
        hold.end()
    }

    @Test("one that tells of its hits does not wait for another that looks")
    func tellsWhileOthersLook() {
        let cache = MemoryCache<HeldKey, Int>(limits: CacheLimits(), readers: 2)
        let hold = Hold()
        cache.insert(1, for: HeldKey(number: 1, hold: nil))
        hold.begin { _ = cache.value(for: HeldKey(number: 1, hold: hold)) }
        let hits = soonOnNewThread { (0..<1_000).count { _ in cache.value(for: HeldKey(number: 1, hold: nil)) == 1 } }
        #expect(hits == 1_000)
        hold.end()
        #expect(cache.statistics.hits == 1_001)
    }

    @Test("one that waits for a change keeps its lock, which nobody else looks with")
    func staysDuringChange() {
        for _ in 0..<50 {
            let cache = MemoryCache<HeldKey, Int>(limits: CacheLimits())
            let (hold, look) = (Hold(), Hold())
            cache.insert(1, for: HeldKey(number: 1, hold: nil))
            // Compares keys under all locks.
            hold.begin { cache.removeValue(for: HeldKey(number: 1, hold: hold)) }
            let hasMoved = Mutex<Bool?>(nil)
            look.begin {
                let number = CallingThread.number
                look.hasBegun.signal()
                _ = cache.value(for: HeldKey(number: 1, hold: nil))
                hasMoved.withLock { $0 = CallingThread.number != number }
            }
            hold.end()
            look.end()
            #expect(hasMoved.withLock { $0 } == false)
        }
    }

    /// What a thread of its own finds; nil if that takes ten seconds: it waits for somebody.
    private func soonOnNewThread<Value: Sendable>(_ find: @escaping @Sendable () -> Value?) -> Value? {
        let found = Mutex<Value?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let value = find()
            found.withLock { $0 = value }
            isDone.signal()
        }
        guard isDone.wait(timeout: .now() + 10) == .success else { return nil }
        return found.withLock { $0 }
    }
}

/// Keeps a comparison going.
private final class Hold: Sendable {
    let hasBegun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    /// Has a thread do something, and returns when it says that it has begun.
    func begin(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            body()
            self.isOver.signal()
        }
        hasBegun.wait()
    }

    /// Lets it go on, and returns when it is over.
    func end() {
        mayEnd.signal()
        isOver.wait()
    }
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
