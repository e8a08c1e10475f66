import Testing

@testable import FeedOrigin

@Suite("Deliveries and faults")
struct DeliveryTests {
    private let response = HTTPResponse(headers: [.init("Content-Type", "image/png")], body: Array("0123456789".utf8))

    private func delivery(_ fault: Fault?, latency: Duration = .zero, isHead: Bool = false, keepsAlive: Bool = true)
        -> Delivery
    {
        Delivery(
            response, misbehaviour: Misbehaviour(latency: latency, bandwidth: nil, fault: fault), date: "today",
            keepsAlive: keepsAlive, isHead: isHead)
    }

    /// Head and body of the only thing sent.
    private func sent(_ delivery: Delivery) -> (head: String, body: String) {
        for case .send(let head, let body, let range, _) in delivery.steps {
            return (String(decoding: head, as: UTF8.self), String(decoding: body[range], as: UTF8.self))
        }
        return ("", "")
    }

    @Test("without a fault the whole is sent and the connection kept")
    func plain() {
        let plain = delivery(nil)
        #expect(plain.ending == .keepAlive)
        #expect(
            sent(plain).head
                == "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: image/png\r\nContent-Length: 10\r\n\r\n")
        #expect(sent(plain).body == "0123456789")
        #expect(sent(delivery(nil, keepsAlive: false)).head.contains("\r\nConnection: close\r\n"))
    }

    @Test("HEAD has the length but not the body")
    func head() {
        #expect(sent(delivery(nil, isHead: true)).head.contains("Content-Length: 10\r\n"))
        #expect(sent(delivery(nil, isHead: true)).body.isEmpty)
    }

    @Test(
        "faults of the body claim one length, send another, and end as they should",
        arguments: [
            (Fault.truncate, 10, "01234", Delivery.Ending.close), (.stall, 10, "01234", .close),
            (.wrongLength, 5, "0123456789", .close),
            (.dropAfter(3), 10, "012", .reset), (.dropAfter(99), 10, "0123456789", .reset),
        ])
    func bodies(fault: Fault, length: Int, body: String, ending: Delivery.Ending) {
        let delivery = delivery(fault)
        #expect(sent(delivery).head.contains("Content-Length: \(length)\r\n"))
        #expect(sent(delivery).body == body)
        #expect(delivery.ending == ending)
        #expect(delivery.steps.contains(.stall) == (fault == .stall))
    }

    @Test("reset sends nothing, garbage nothing that is HTTP")
    func heads() {
        #expect(delivery(.reset).steps.isEmpty)
        #expect(delivery(.reset).ending == .reset)
        #expect(!sent(delivery(.garbage)).head.contains("HTTP"))
        #expect(delivery(.garbage).steps.count == 1)
    }

    @Test("a page that is no image still says that it is one")
    func notAImage() {
        let (head, body) = sent(delivery(.notAImage))
        #expect(head.contains("200 OK") && head.contains("image/png"))
        #expect(body.hasPrefix("<!DOCTYPE html>"))
        #expect(head.contains("Content-Length: \(body.utf8.count)\r\n"))
    }

    @Test("a status comes instead of the answer, after the latency")
    func status() {
        let delivery = delivery(.status(503), latency: .milliseconds(20))
        #expect(delivery.steps.first == .wait(.milliseconds(20)))
        #expect(sent(delivery).head.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(delivery.status == 503)
    }

    @Test("304 has neither body nor length")
    func notModified() {
        let delivery = Delivery(
            HTTPResponse(status: 304), misbehaviour: Misbehaviour(), date: "today", keepsAlive: true, isHead: false)
        #expect(sent(delivery).head == "HTTP/1.1 304 Not Modified\r\nDate: today\r\n\r\n")
    }
}

@Suite("Misbehaviour")
struct MisbehaviourTests {
    private func misbehaviour(_ query: String, attempt: Int = 1, _ switches: Switches = Switches()) throws
        -> Misbehaviour
    {
        try Misbehaviour(HTTPRequest(target: "/images/1.jpg?" + query), attempt: attempt, switches: switches)
    }

    @Test(
        "the query says how an answer fails",
        arguments: [
            ("latency=20", Misbehaviour(latency: .milliseconds(20))), ("bandwidth=9", Misbehaviour(bandwidth: 9)),
            ("status=404", Misbehaviour(fault: .status(404))), ("fault=reset", Misbehaviour(fault: .reset)),
            ("fault=drop-after=12", Misbehaviour(fault: .dropAfter(12))),
            ("fault=wrong-length", Misbehaviour(fault: .wrongLength)),
            ("fault=not-a-image&times=1", Misbehaviour(fault: .notAImage)), ("", Misbehaviour()),
        ])
    func query(query: String, expected: Misbehaviour) throws {
        #expect(try misbehaviour(query) == expected)
    }

    @Test(
        "what can't be meant is refused",
        arguments: [
            "latency=x", "latency=-1", "bandwidth=0", "status=99", "fault=often", "times=a", "fault=drop-after=-2",
        ])
    func refused(query: String) {
        #expect { try misbehaviour(query) } throws: { ($0 as? RequestFailure)?.status == 400 }
    }

    @Test("times ends a failure, so that a retry succeeds")
    func times() throws {
        let faults = try (1...4).map { try misbehaviour("fault=reset&times=2", attempt: $0).fault }
        #expect(faults == [.reset, .reset, nil, nil])
    }

    @Test("the query wins over the switches")
    func precedence() throws {
        let switches = Switches(latency: .seconds(1), bandwidth: 5, failureRate: 1, faults: [.truncate])
        #expect(try misbehaviour("", switches) == Misbehaviour(latency: .seconds(1), bandwidth: 5, fault: .truncate))
        #expect(
            try misbehaviour("latency=0&bandwidth=7&fault=reset", switches) == Misbehaviour(bandwidth: 7, fault: .reset)
        )
        #expect(try Misbehaviour(HTTPRequest(target: "/photos"), attempt: 1, switches: switches).fault == nil)
    }

    @Test("the failure rate is kept, repeats with its seed, and differs between attempts")
    func rate() {
        let switches = Switches(failureRate: 0.3, seed: 4)
        let failures = (0..<2000).map { switches.failure(target: "/images/\($0).jpg", attempt: 1) }
        let share = Double(failures.count { $0 != nil }) / 2000
        #expect(abs(share - 0.3) < 0.04)
        #expect(failures == (0..<2000).map { switches.failure(target: "/images/\($0).jpg", attempt: 1) })
        #expect(failures != (0..<2000).map { switches.failure(target: "/images/\($0).jpg", attempt: 2) })
        #expect(Set(failures.compactMap(\.self)) == Set(switches.faults))
    }
}
