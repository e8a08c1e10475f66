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
}
