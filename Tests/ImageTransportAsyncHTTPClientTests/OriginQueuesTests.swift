import Testing

@testable import ImageTransportAsyncHTTPClient

@Suite("Origin queues")
struct OriginQueuesTests {
    @Test("transfers above the limit of an origin wait, and start in order as others end")
    func limit() {
        var queues = OriginQueues<Int>(limit: 2)
        #expect((1...4).map { queues.enter($0, origin: "http://a", mayMultiplex: false) } == [[1], [2], [], []])
        #expect(queues.enter(5, origin: "http://b", mayMultiplex: false) == [5])
        #expect(queues.leave("http://a") == [3])
        #expect(queues.leave("http://a") == [4])
        #expect(queues.leave("http://a") == [])
    }

    @Test("the first transfer to an origin that may multiplex runs alone until it is connected")
    func first() {
        var queues = OriginQueues<Int>(limit: 2)
        #expect((1...4).map { queues.enter($0, origin: "https://a", mayMultiplex: true) } == [[1], [], [], []])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [2])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [])
        #expect(queues.leave("https://a") == [3])
    }

    @Test("transfers over HTTP/2 do not wait")
    func multiplexed() {
        var queues = OriginQueues<Int>(limit: 2)
        #expect((1...4).map { queues.enter($0, origin: "https://a", mayMultiplex: true) } == [[1], [], [], []])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [2])
        #expect(queues.answeredOverHTTP2(from: "https://a") == [3, 4])
        #expect(queues.enter(5, origin: "https://a", mayMultiplex: true) == [5])
    }

    @Test("an origin without transfers is removed")
    func forgotten() {
        var queues = OriginQueues<Int>(limit: 1)
        for number in 0..<100 { _ = queues.enter(number, origin: "http://\(number)", mayMultiplex: false) }
        #expect(queues.count == 100)
        for number in 0..<100 { #expect(queues.leave("http://\(number)") == []) }
        #expect(queues.count == 0)
    }
}
