import ImageCore
import Synchronization
import Testing

@Suite("Live priority", .timeLimit(.minutes(5)))
struct LivePriorityTests {
    /// Records the values that an observer has read.
    private final class Values: Sendable {
        private let values = Mutex<[RequestPriority]>([])

        var all: [RequestPriority] { values.withLock { $0 } }

        func append(_ value: RequestPriority) { values.withLock { $0.append(value) } }
    }

    private func observe(_ priority: LivePriority) -> (values: Values, observation: ChangeObservation) {
        let values = Values()
        return (values, priority.observe { values.append($0.value) })
    }

    // MARK: Observing

    @Test("observers are called only if the value changes")
    func observers() {
        let priority = LivePriority(.low)
        let (values, observation) = observe(priority)
        for value in [RequestPriority.low, .high, .high, .veryLow] { priority.value = value }
        observation.cancel()
        priority.value = .normal
        #expect(values.all == [.high, .veryLow])
    }

    @Test("observers are called in the order in which they were added, with no lock held")
    func severalObservers() {
        let priority = LivePriority(.low)
        let order = Mutex<[Int]>([])
        let log = { @Sendable (number: Int) in order.withLock { $0.append(number) } }
        let first = priority.observe { _ in log(1) }
        let second = priority.observe { priority in
            log(2)
            if priority.value == .high { priority.value = .normal }
        }
        let third = priority.observe { _ in log(3) }
        priority.value = .high
        second.cancel()
        priority.value = .low
        withExtendedLifetime((first, third)) {}
        #expect(order.withLock { $0 } == [1, 2, 1, 2, 3, 3, 1, 3])
    }

    // MARK: Following

    @Test("it is the highest of its own value and of those that it follows")
    func follow() {
        let priority = LivePriority(.low)
        let (first, second) = (LivePriority(.normal), LivePriority(.veryLow))
        let following = [priority.follow(first), priority.follow(second)]
        #expect(priority.value == .normal)
        second.value = .veryHigh
        #expect(priority.value == .veryHigh)
        second.value = .veryLow
        first.value = .veryLow
        #expect(priority.value == .low)
        priority.value = .high
        first.value = .normal
        #expect(priority.value == .high)
        for following in following { following.cancel() }
    }

    @Test("it does not follow a priority after the observation has ended")
    func unfollow() {
        let priority = LivePriority(.low)
        let (first, second) = (LivePriority(.high), LivePriority(.high))
        let following = (priority.follow(first), priority.follow(second))
        following.0.cancel()
        #expect(priority.value == .high)
        following.1.cancel()
        #expect(priority.value == .low)
        first.value = .veryHigh
        #expect(priority.value == .low)
    }

    @Test("an observation that ends during a change has no effect")
    func endsDuringChange() {
        let (priority, source) = (LivePriority(.low), LivePriority(.low))
        let following = Mutex<ChangeObservation?>(nil)
        let observation = source.observe { _ in following.withLock { $0 }?.cancel() }
        following.withLock { $0 = priority.follow(source) }
        source.value = .high  // the first observer ends the following, before the second one follows
        #expect(priority.value == .low)
        observation.cancel()
    }

    @Test("a change propagates through several priorities, and calls each observer once")
    func nested() {
        let (source, middle, other, top) = (
            LivePriority(.low), LivePriority(.veryLow), LivePriority(.veryLow), LivePriority(.veryLow)
        )
        let following = [middle.follow(source), other.follow(source), top.follow(middle), top.follow(other)]
        let (values, observation) = observe(top)
        source.value = .high
        #expect(middle.value == .high && top.value == .high)
        source.value = .normal
        #expect(top.value == .normal)
        observation.cancel()
        for following in following { following.cancel() }
        #expect(values.all == [.high, .normal] && top.value == .veryLow)
    }

    // MARK: Threads and memory

    @Test("after changes on many threads, each copy is the latest value")
    func concurrentChanges() async {
        for _ in 0..<100 {
            let (source, priority) = (LivePriority(.low), LivePriority(.veryLow))
            let copy = Mutex(RequestPriority.veryLow)
            let observation = priority.observe { priority in copy.withLock { $0 = priority.value } }
            let following = await withTaskGroup(of: ChangeObservation?.self) { group in
                for value in RequestPriority.allCases {
                    group.addTask {
                        source.value = value
                        return nil
                    }
                }
                group.addTask { priority.follow(source) }
                group.addTask {
                    priority.follow(source).cancel()
                    return nil
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(priority.value == source.value && copy.withLock { $0 } == source.value)
            withExtendedLifetime(following) { observation.cancel() }
        }
    }

    @Test("an observation that is released has ended")
    func release() {
        let (priority, source) = (LivePriority(.low), LivePriority(.high))
        let (values, observation) = observe(priority)
        do {
            let following = priority.follow(source)
            #expect(priority.value == .high)
            withExtendedLifetime(following) {}
        }
        #expect(priority.value == .low && values.all == [.high, .low])
        withExtendedLifetime(observation) {}
    }

    @Test("an observer is released when its observation ends")
    func releasesObservers() {
        final class Payload: Sendable {}
        let priority = LivePriority(.low)
        weak var payload: Payload?
        let observation: ChangeObservation
        do {
            let held = Payload()
            payload = held
            observation = priority.observe { _ in withExtendedLifetime(held) {} }
        }
        #expect(payload != nil)
        observation.cancel()
        #expect(payload == nil)
    }

    @Test("a priority that follows is released before its source, and a source before its followers")
    func releasesPriorities() {
        let (first, second) = (LivePriority(.low), LivePriority(.high))
        weak var (follower, source): (LivePriority?, LivePriority?)
        do {
            let (priority, followed) = (LivePriority(.low), LivePriority(.high))
            (follower, source) = (priority, followed)
            withExtendedLifetime([priority.follow(first), second.follow(followed)]) {}
        }
        #expect(follower == nil && source == nil)
        first.value = .high
        withExtendedLifetime(second) {}
    }

    @Test("the source and the follower can be released before the observation ends")
    func endsAfterRelease() {
        let (priority, source) = (LivePriority(.low), LivePriority(.high))
        let (first, second) = (priority.follow(LivePriority(.veryHigh)), LivePriority(.low).follow(source))
        source.value = .normal
        #expect(priority.value == .veryHigh)
        first.cancel()
        second.cancel()
        #expect(priority.value == .low)
    }
}
