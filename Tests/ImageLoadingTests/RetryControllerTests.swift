import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        "parses seconds and dates; past dates are zero, and other values are nil",
        arguments: [
            ("120", 120), ("0", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Sunday, 06-Nov-94 08:49:38 GMT", 1), ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil),
        ] as [(String, Int?)])
    func reading(_ text: String, _ seconds: Int?) throws {
        #expect(try retryAfter([.retryAfter: text, .date: Self.date]) == seconds.map { .seconds($0) })
    }

    @Test("a date is ignored without a Date header, and a number that overflows is the longest duration")
    func extremes() throws {
        #expect(try retryAfter([.retryAfter: Self.date]) == nil)
        #expect(try #require(try retryAfter([.retryAfter: String(repeating: "9", count: 30)])) > .seconds(1 << 40))
    }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func retryAfter(_ headers: HTTPFields) throws -> Duration? {
        let url = try #require(URL(string: "http://a/"))
        return ResponseHead(status: .tooManyRequests, headers: headers, url: url).retryAfter
    }
}

@Suite("RetryController", .timeLimit(.minutes(10)))
struct RetryControllerTests {
    private func failures(
        _ fixture: LoaderFixture, _ names: [String], _ reply: ScriptedTransport.Reply
    ) async -> [ImageError] {
        var errors: [ImageError] = []
        for name in names {
            do throws(ImageError) {
                _ = try await fixture.loader.data(for: fixture.request(name, then: reply))
            } catch {
                errors.append(error)
            }
        }
        return errors
    }

    @Test("a retry waits for Retry-After plus its own delay")
    func retryAfter() async throws {
        let fixture = LoaderFixture(retries: 1)
        let request = fixture.request(
            "a", first: .status(.serviceUnavailable, headers: [.retryAfter: "20"]))
        let task = Task { try await fixture.loader.data(for: request) }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .milliseconds(20_999))
        #expect(fixture.transport.sendCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await task.value.source == .network)
    }

    @Test("the time before the first attempt does not count towards the maximum of retries")
    func waitBeforeFirstAttempt() async throws {
        let scheduler = ManualScheduler()
        let fixture = LoaderFixture(scheduler: scheduler) { $0.retryPolicy = TransferRetryPolicy(maxRetries: 1) { 0 } }
        let request = fixture.request("a", first: .status(.serviceUnavailable))
        let task = Task { try await fixture.loader.data(for: request) }
        await scheduler.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(1_000))
        try await scheduler.runNext()
        let retry = Task {
            await scheduler.waitForArrivals(2)
            try await scheduler.runNext()
        }
        #expect(try await task.value.source == .network)
        _ = await retry.result
    }

    @Test("retries end with the maximum of the time since the first attempt")
    func maximumTime() async {
        let fixture = LoaderFixture {
            $0.retryPolicy = TransferRetryPolicy(maxRetries: 10, maxTotalTime: .seconds(12)) { 0 }
        }
        let attempts = Atomic(0)
        let request = ImageRequest(
            .fetch(name: "a") { [clock = fixture.clock] in
                attempts.add(1, ordering: .relaxed)
                clock.advance(by: .seconds(5))
                throw ImageError.network(.connectionLost, "lost")
            })
        await #expect(throws: ImageError.self) { try await fixture.loader.data(for: request) }
        #expect(attempts.load(ordering: .relaxed) == 3)
    }

    @Test("there is no retry if Retry-After exceeds the maximum, or if the host is unavailable")
    func noRetry() async {
        let fixture = LoaderFixture(retries: 2)
        let late = await failures(fixture, ["a"], .status(.serviceUnavailable, headers: [.retryAfter: "31"]))
        let unavailable = await failures(fixture, ["b"], .failure(.serverUnavailable("it failed too often")))
        #expect(late == [.httpStatus(503, retryAfter: .seconds(31))])
        #expect(unavailable.count == 1 && unavailable.allSatisfy { "\($0)".hasPrefix("network (serverUnavailable)") })
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("retries end when the shared budget is used up")
    func sharedBudget() async {
        let fixture = LoaderFixture {
            $0.retryPolicy = TransferRetryPolicy(maxRetries: 10, baseDelay: .zero, maxSharedRetries: 3) { 0 }
        }
        let errors = await failures(fixture, ["a", "b"], .status(.serviceUnavailable))
        #expect(errors.count == 2)
        #expect(fixture.transport.sendCount == 2 + 3)
    }

    @Test("ten successful downloads restore one retry, up to the initial number")
    func restoredBudget() async throws {
        let fixture = LoaderFixture {
            $0.retryPolicy = TransferRetryPolicy(maxRetries: 10, baseDelay: .zero, maxSharedRetries: 1) { 0 }
        }
        for number in 0..<30 { _ = try await fixture.loader.data(for: fixture.request("\(number)")) }
        _ = await failures(fixture, ["a", "b"], .status(.serviceUnavailable))
        #expect(fixture.transport.sendCount == 30 + 2 + 1)
        for number in 30..<39 { _ = try await fixture.loader.data(for: fixture.request("\(number)")) }
        _ = await failures(fixture, ["c"], .status(.serviceUnavailable))
        #expect(fixture.transport.sendCount == 39 + 3 + 1)
        _ = try await fixture.loader.data(for: fixture.request("39"))
        _ = await failures(fixture, ["d"], .status(.serviceUnavailable))
        #expect(fixture.transport.sendCount == 40 + 4 + 2)
    }

    @Test("a stale response after a failure restores no retry")
    func staleHits() async throws {
        let fixture = LoaderFixture {
            $0.retryPolicy = TransferRetryPolicy(maxRetries: 1, baseDelay: .zero, maxSharedRetries: 1) { 0 }
        }
        let stale = ScriptedTransport.Reply.ok(LoaderFixture.image, headers: [.cacheControl: "max-age=0"])
        let request = fixture.request("a", first: stale, then: .refused)
        _ = try await fixture.loader.data(for: request)
        _ = await failures(fixture, ["b"], .status(.serviceUnavailable))
        for _ in 0..<10 { #expect(try await fixture.loader.data(for: request).source == .stale) }
        _ = await failures(fixture, ["c"], .status(.serviceUnavailable))
        #expect(fixture.transport.sendCount == 1 + 2 + 10 + 1)
    }

    @Test("the body of an error response is discarded, so that the connection can be used again")
    func errorBody() async throws {
        let fixture = LoaderFixture(retries: 0)
        let request = fixture.request("a", then: .status(.serviceUnavailable))
        await #expect(throws: ImageError.self) { try await fixture.loader.data(for: request) }
        let url = try #require(request.url)
        #expect(fixture.transport.messages == [.sent(url), .head(url)])
    }
}
