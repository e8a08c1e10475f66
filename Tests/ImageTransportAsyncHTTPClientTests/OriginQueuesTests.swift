import Testing

@testable import ImageTransportAsyncHTTPClient

@Suite("Origin queues")
struct OriginQueuesTests {
    @Test("the first transfer to an origin that may multiplex runs alone until it is connected")
    func first() {
        var queues = OriginQueues<Int>(limit: 2)
        #expect((1...4).map { queues.enter($0, origin: "https://a", mayMultiplex: true) } == [[1], [], [], []])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [2])
        #expect(queues.connectionAttemptEnded(to: "https://a") == [])
        #expect(queues.leave("https://a") == [3])
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
