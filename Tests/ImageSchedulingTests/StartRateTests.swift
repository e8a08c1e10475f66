import ImageCore
import ImageTesting
import Testing

@testable import ImageScheduling

@Suite("Rate of starts", .timeLimit(.minutes(5)))
struct StartRateTests {
    private let clock = ManualClock()

    private func makeFixture(burst: Int, limit: Int = 1) -> SchedulerFixture {
        SchedulerFixture(limit: limit) { $0.startRate = StartRate(burst: burst, perSecond: 1, clock: clock) }
    }

    @Test("tokens are added at the rate, up to the burst, also to a negative number of tokens")
    func bucket() {
        var bucket = TokenBucket(StartRate(burst: 2, perSecond: 4, clock: clock))
        #expect(bucket.wait(at: .zero) == nil)
        for _ in 0..<4 { bucket.take(at: .seconds(1)) }
        #expect(bucket.wait(at: .seconds(1)) == .milliseconds(750))
        #expect(bucket.wait(at: .milliseconds(1_500)) == .milliseconds(250))
        #expect(bucket.wait(at: .milliseconds(1_750)) == nil)
        for _ in 0..<2 { bucket.take(at: .seconds(100)) }
        #expect(bucket.wait(at: .seconds(100)) == .milliseconds(250))
    }

    @Test(
        "rates are between 1e-6 and 1e9",
        arguments: [(0, 1e-6), (-1, 1e-6), (.nan, 1e-6), (1e-7, 1e-6), (.infinity, 1e9), (1e10, 1e9)])
    func extremeRates(perSecond: Double, clamped: Double) {
        var bucket = TokenBucket(StartRate(burst: 0, perSecond: perSecond, clock: clock))
        bucket.take(at: .zero)
        #expect(bucket.wait(at: .zero) == .seconds(1 / clamped))
    }

    @Test("work that returns or throws takes no token")
    func endingTakesNoToken() {
        let fixture = makeFixture(burst: 1)
        let names = (0..<200).map { "\($0)" }
        for name in names { fixture.call(name) { if name.hasSuffix("7") { throw ImageDecodingError.unknownFormat } } }
        #expect(fixture.starts.messages == names)
    }

    @Test("work that is cancelled while it runs takes a token when it ends, which delays the next starts")
    func cancelledWorkTakesToken() {
        let fixture = makeFixture(burst: 2)
        let calls = ["0", "1", "2", "3"].map { fixture.hold($0) }
        for call in calls.prefix(2) {
            fixture.cancel(call)
            fixture.gate.letOnePass()
            fixture.executor.run()
        }
        #expect(fixture.starts.messages == ["0", "1"] && fixture.scheduler.waitingCount == 2)
        clock.advance(by: .milliseconds(999))
        fixture.executor.run()
        #expect(fixture.starts.messages == ["0", "1"])
        clock.advance(by: .milliseconds(1))
        fixture.openGate()
        #expect(fixture.starts.messages == ["0", "1", "2", "3"])
    }

    @Test("the first waiting work uses a new token, and later calls wait after it")
    func tokenForTheFirst() {
        let fixture = makeFixture(burst: 1)
        fixture.cancel(fixture.hold("0"))
        fixture.openGate()
        fixture.call("1")
        #expect(fixture.starts.messages == ["0"] && fixture.scheduler.waitingCount == 1)
        clock.advance(by: .seconds(1))
        fixture.call("2")
        #expect(fixture.starts.messages == ["0", "1", "2"])
    }

    @Test("work that is cancelled while it waits, or before its call, takes no token")
    func cancelledWhileWaiting() {
        let fixture = makeFixture(burst: 1)
        fixture.hold("0")
        for name in 1...50 { fixture.cancel(fixture.call("\(name)")) }
        fixture.call("51")
        fixture.openGate()
        let task = Task(executorPreference: fixture.executor) { [scheduler = fixture.scheduler] in
            try await scheduler.run(in: .download, server: nil, priority: LivePriority(.normal)) {}
        }
        task.cancel()
        fixture.call("52")
        #expect(fixture.starts.messages == ["0", "51", "52"])
    }
}
