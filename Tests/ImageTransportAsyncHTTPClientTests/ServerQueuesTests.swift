import Testing

@testable import ImageTransportAsyncHTTPClient

@Suite("Server queues")
struct ServerQueuesTests {
    @Test("the first transfer to a server that may multiplex runs alone until it is connected")
    func first() {
        var queues = ServerQueues<Int>(limit: 2)
        #expect((1...4).map { queues.enter($0, server: "https://a", mayMultiplex: true) } == [[1], [], [], []])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [2])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [])
        #expect(queues.leave("https://a") == [3])
    }

    @Test("a server without transfers is removed")
    func forgotten() {
        var queues = ServerQueues<Int>(limit: 1)
        for number in 0..<100 { _ = queues.enter(number, server: "http://\(number)", mayMultiplex: false) }
        #expect(queues.count == 100)
        for number in 0..<100 { #expect(queues.leave("http://\(number)") == []) }
        #expect(queues.count == 0)
    }

    @Test("without HTTP/2, as many transfers run as there are connections, in the order of their arrival")
    func limit() {
        var queues = ServerQueues<Int>(limit: 2)
        #expect((1...5).map { queues.enter($0, server: "http://a", mayMultiplex: false) } == [[1], [2], [], [], []])
        #expect(queues.enter(6, server: "http://b", mayMultiplex: false) == [6])
        #expect(queues.leave("http://a") == [3])
        #expect(queues.leave("http://a") == [4])
    }

    @Test("after a response over HTTP/2, no transfer to the server waits")
    func multiplexed() {
        var queues = ServerQueues<Int>(limit: 1)
        for number in 1...4 { _ = queues.enter(number, server: "https://a", mayMultiplex: true) }
        #expect(queues.answeredOverHTTP2(from: "https://a") == [2, 3, 4])
        #expect(queues.enter(5, server: "https://a", mayMultiplex: true) == [5])
    }

    @Test("a limit below 1 is 1")
    func smallestLimit() {
        var queues = ServerQueues<Int>(limit: 0)
        #expect((1...2).map { queues.enter($0, server: "http://a", mayMultiplex: false) } == [[1], []])
    }

    @Test("a server is dead after the limit without a byte, or after a second if only one transfer waits for it")
    func silence() {
        var queues = ServerQueues<Int>(limit: 2)
        func isDead(_ now: Int64, limit: Int64 = 5_000) -> Bool {
            queues.isDead("http://a", stallLimit: limit, now: now)
        }
        #expect(!isDead(10_000))
        _ = queues.enter(1, server: "http://a", mayMultiplex: false)
        #expect(!isDead(10_000))
        queues.waits(for: "http://a", now: 100)
        queues.waits(for: "http://a", now: 900)
        #expect([1_099, 1_100].map { isDead($0) } == [false, true])
        #expect([399, 400].map { isDead($0, limit: 300) } == [false, true])
        _ = queues.enter(2, server: "http://a", mayMultiplex: false)
        #expect([5_099, 5_100].map { isDead($0) } == [false, true])
        queues.bytesArrived(from: "http://a")
        #expect(!isDead(10_000))
        queues.waits(for: "http://a", now: 9_000)
        #expect([13_999, 14_000].map { isDead($0) } == [false, true])
    }
}
