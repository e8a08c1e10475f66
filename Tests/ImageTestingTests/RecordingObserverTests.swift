import Foundation
import ImageCore
import ImageTesting
import Testing

@Suite("RecordingObserver")
struct RecordingObserverTests {
    private let observer = RecordingObserver()

    private func send(_ kind: ImageLoadEvent.Kind, request: UInt64 = 1) throws {
        let url = try #require(URL(string: "https://example.test/a.png"))
        observer.handle(ImageLoadEvent(requestID: request, url: url, kind: kind))
    }

    @Test("events are recorded in order and can be filtered by request")
    func recordsEvents() throws {
        try send(.started)
        try send(.started, request: 2)
        try send(.memoryHit)
        #expect(observer.kinds() == [.started, .started, .memoryHit])
        #expect(observer.kinds(of: 1) == [.started, .memoryHit])
    }

    @Test("a test can await a number of events")
    func awaitsCount() async throws {
        let two = Task { [observer] in await observer.waitUntil { $0.count == 2 } }
        try send(.started)
        try send(.memoryMiss(.absent))
        await two.value
        #expect(observer.kinds() == [.started, .memoryMiss(.absent)])
    }
}

@Suite("SeededRandom")
struct SeededRandomTests {
    @Test("the same seed returns the same numbers, and another seed returns others")
    func isSeeded() {
        func numbers(seed: UInt64) -> [UInt64] {
            var random = SeededRandom(seed: seed)
            return (0..<4).map { _ in random.next() }
        }
        #expect(numbers(seed: 1) == numbers(seed: 1))
        #expect(numbers(seed: 1) != numbers(seed: 2))
    }

    @Test("the numbers equal those of the published generator")
    func isSplitMix64() {
        var random = SeededRandom(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }
}
