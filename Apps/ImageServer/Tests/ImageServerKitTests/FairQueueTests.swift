import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct FairQueueTests {
    private func queue(_ limit: Int, lends: Bool = false, waiting: [(String, Int)]) -> FairQueue<String> {
        var queue = FairQueue<String>(limit: limit, lends: lends)
        for _ in 0..<limit { _ = queue.start("first") }
        var id = 0
        for (origin, count) in waiting {
            for number in 0..<count {
                _ = queue.wait(id, "\(origin)\(number)", origin, most: .max)
                id += 1
            }
        }
        return queue
    }

    @Test("origins that wait take turns, each in the order of arrival")
    func turns() {
        var queue = queue(1, waiting: [("a", 3), ("b", 1), ("c", 2)])
        var order: [String] = []
        var last = "first"
        while let next = queue.finish(last).first {
            order.append(next)
            last = String(next.prefix(1))
        }
        #expect(order == ["a0", "b0", "c0", "a1", "c1", "a2"])
    }

    @Test("the origin with the least in progress is next")
    func shares() {
        var queue = queue(4, waiting: [("first", 4), ("b", 4)])
        let started = (0..<3).flatMap { _ in queue.finish("first") }
        #expect(started == ["b0", "b1", "first0"])
    }

    @Test("an origin may borrow up to its share, one whose work has ended has none, and twice the limit is the most")
    func lending() {
        var queue = FairQueue<String>(limit: 4, lends: true)
        let (hasStarted, next) = (queue.start("idle"), queue.finish("idle"))
        #expect(hasStarted && next.isEmpty)
        let started = ["a", "b", "c", "d", "e", "f", "g"].map { origin in
            (0..<5).filter { _ in queue.start(origin) }.count
        }
        #expect(started == [4, 2, 1, 1, 0, 0, 0])
        #expect(queue.runningCount == 8)
    }

    @Test("if the queue is full, the newest work of the origin with the most waiting leaves it")
    func fullQueue() {
        var queue = queue(1, waiting: [("a", 3)])
        #expect(queue.wait(10, "b0", "b", most: 3) == "a2")
        #expect(queue.wait(11, "a3", "a", most: 3) == "a3")
        #expect(queue.wait(12, "b1", "b", most: 3) == "b1")
        #expect(queue.waitingCount == 3)
        // If as many of each wait, nobody has to leave for another one.
        for name in "bcdefghijk" {
            var queue = self.queue(1, waiting: [("a", 1)])
            #expect(queue.wait(1, "new", String(name), most: 1) == "new")
        }
    }

    @Test("nothing waits while there is a free place, whatever happens")
    func invariants() {
        var random = Numbers()
        for lends in [false, true] {
            var queue = FairQueue<Int>(limit: 3, lends: lends)
            var (running, waiting): ([String], [Int: String]) = ([], [:])
            for id in 0..<5_000 {
                let origin = "abcd".map(String.init)[Int.random(in: 0..<4, using: &random)]
                var started: [Int] = []
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    if queue.start(origin) {
                        running.append(origin)
                    } else {
                        waiting[id] = origin
                        if let refused = queue.wait(id, id, origin, most: 6) { waiting[refused] = nil }
                        started = queue.startable()
                    }
                case 2 where !running.isEmpty, 3 where !running.isEmpty:
                    started = queue.finish(running.remove(at: Int.random(in: 0..<running.count, using: &random)))
                default:
                    if let (id, origin) = waiting.min(by: { $0.key < $1.key }) {
                        #expect(queue.remove(id, origin) == id)
                        waiting[id] = nil
                        started = queue.startable()
                    }
                }
                running += started.compactMap { waiting.removeValue(forKey: $0) }
                #expect(queue.runningCount == running.count && queue.waitingCount == waiting.count)
                #expect(running.count <= (lends ? 6 : 3) && waiting.count <= 6)
                #expect(waiting.isEmpty || running.count >= 3)
            }
        }
    }
}

/// The same numbers on each run (Knuth's MMIX generator).
private struct Numbers: RandomNumberGenerator {
    private var state: UInt64 = 43

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state.byteSwapped
    }
}
