import AppleFoundation
import Foundation
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageTransportURLSession

@Suite("Transport over URLSession")
struct URLSessionTests {
    private let calls = MessageLog<String>()

    private var pause: TransferPause {
        TransferPause(suspend: { [calls] in calls.append("suspend") }, resume: { [calls] in calls.append("resume") })
    }

    @Test("a task is suspended once while its buffer stays full, and runs again after one resumption")
    func pause() async throws {
        let pause = pause
        let url = try #require(URL(string: "https://example.com/a.jpg"))
        let channel = TransferChannel(request: TransportRequest(url: url), resume: { pause.end() }, stop: {})
        channel.connected()
        channel.headArrived(ResponseHead(status: .ok, url: url))
        for _ in 0..<4 {
            if channel.arrived(Data(count: 200 << 10)) == .pause { pause.begin { channel.isPaused } }
        }
        #expect(calls.messages == ["suspend"])
        var pieces = try await channel.response().body.makeAsyncIterator()
        #expect(try await pieces.next()?.count == 800 << 10)
        #expect(calls.messages == ["suspend", "resume"])
    }

    @Test("a request's priority becomes that of its task")
    func priority() {
        let priorities = RequestPriority.allCases.map(SessionOwner.priority)
        let (low, normal, high) = (
            URLSessionTask.lowPriority, URLSessionTask.defaultPriority, URLSessionTask.highPriority
        )
        #expect(low < normal && normal < high)
        #expect(priorities == [low, low, normal, high, high])
    }

    @Test("a task's priority rises and falls with its request's, until the transfer ends")
    func livePriority() throws {
        let (low, high) = (URLSessionTask.lowPriority, URLSessionTask.highPriority)
        let set = MessageLog<Float>()
        var request = TransportRequest(url: try #require(URL(string: "https://example.com/a.jpg")))
        let priority = LivePriority(.low)
        (request.priority, request.livePriority) = (.low, priority)
        var following = SessionOwner.follow(request) { set.append($0) }
        priority.value = .veryHigh
        priority.value = .low
        #expect(set.messages == [low, high, low] && following != nil)
        following = nil
        priority.value = .high
        #expect(set.messages.count == 3)
    }

    @Test("a request can forbid expensive networks, and those in Low Data Mode", arguments: [true, false])
    func networks(areAllowed: Bool) throws {
        var request = TransportRequest(url: try #require(URL(string: "https://example.com/a.jpg")))
        request.allowsExpensiveNetworkAccess = areAllowed
        #expect(SessionOwner.urlRequest(request).allowsExpensiveNetworkAccess == areAllowed)
        #expect(SessionOwner.urlRequest(request).allowsConstrainedNetworkAccess)
        request.allowsConstrainedNetworkAccess = areAllowed
        #expect(SessionOwner.urlRequest(request).allowsConstrainedNetworkAccess == areAllowed)
    }

    @Test("a task is not suspended after its buffer was emptied")
    func lateSuspension() {
        let pause = pause
        pause.begin { false }
        pause.end()
        #expect(calls.messages == [])
    }
}
