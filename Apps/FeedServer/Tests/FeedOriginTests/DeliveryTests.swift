import Testing

@testable import FeedOrigin

@Suite("Deliveries and faults")
struct DeliveryTests {
    private let response = HTTPResponse(headers: [.init("Content-Type", "image/png")], body: Array("0123456789".utf8))

    private func delivery(_ fault: Fault?, latency: Duration = .zero, isHead: Bool = false, keepsAlive: Bool = true)
        -> Delivery
    {
        Delivery(
            response, conditions: NetworkConditions(latency: latency, bandwidth: nil, fault: fault), date: "today",
            keepsAlive: keepsAlive, isHead: isHead)
    }

    /// Returns the head and the body of the first send step.
    private func sent(_ delivery: Delivery) -> (head: String, body: String) {
        for case .send(let head, let body, let range, _) in delivery.steps {
            return (String(decoding: head, as: UTF8.self), String(decoding: body[range], as: UTF8.self))
        }
        return ("", "")
    }

    @Test("without a fault, the whole response is sent and the connection stays open")
    func plain() {
        let plain = delivery(nil)
        #expect(plain.ending == .keepAlive)
        #expect(
            sent(plain).head
                == "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: image/png\r\nContent-Length: 10\r\n\r\n")
        #expect(sent(plain).body == "0123456789")
        #expect(sent(delivery(nil, keepsAlive: false)).head.contains("\r\nConnection: close\r\n"))
    }

    @Test("the response to HEAD has the length but not the body")
    func head() {
        #expect(sent(delivery(nil, isHead: true)).head.contains("Content-Length: 10\r\n"))
        #expect(sent(delivery(nil, isHead: true)).body.isEmpty)
    }

    @Test(
        "faults of the body send the expected length, bytes and ending",
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

    @Test("reset sends nothing, and garbage sends no HTTP")
    func heads() {
        #expect(delivery(.reset).steps.isEmpty)
        #expect(delivery(.reset).ending == .reset)
        #expect(!sent(delivery(.garbage)).head.contains("HTTP"))
        #expect(delivery(.garbage).steps.count == 1)
    }

    @Test("a web page that replaces an image has the content type of the image")
    func notAnImage() {
        let (head, body) = sent(delivery(.notAnImage))
        #expect(head.contains("200 OK") && head.contains("image/png"))
        #expect(body.hasPrefix("<!DOCTYPE html>"))
        #expect(head.contains("Content-Length: \(body.utf8.count)\r\n"))
    }

    @Test("a status replaces the response, after the latency")
    func status() {
        let delivery = delivery(.status(503), latency: .milliseconds(20))
        #expect(delivery.steps.first == .wait(.milliseconds(20)))
        #expect(sent(delivery).head.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(delivery.status == 503)
    }

    @Test("a 304 response has neither body nor length")
    func notModified() {
        let delivery = Delivery(
            HTTPResponse(status: 304), conditions: NetworkConditions(), date: "today", keepsAlive: true, isHead: false)
        #expect(sent(delivery).head == "HTTP/1.1 304 Not Modified\r\nDate: today\r\n\r\n")
    }
}

@Suite("Network conditions")
struct NetworkConditionsTests {
    private func conditions(_ query: String, attempt: Int = 1, _ defaults: NetworkDefaults = NetworkDefaults()) throws
        -> NetworkConditions
    {
        try NetworkConditions(HTTPRequest(target: "/images/1.jpg?" + query), attempt: attempt, defaults: defaults)
    }

    @Test(
        "the query determines latency, bandwidth and fault",
        arguments: [
            ("latency=20", NetworkConditions(latency: .milliseconds(20))),
            ("bandwidth=9", NetworkConditions(bandwidth: 9)),
            ("status=404", NetworkConditions(fault: .status(404))), ("fault=reset", NetworkConditions(fault: .reset)),
            ("fault=drop-after=12", NetworkConditions(fault: .dropAfter(12))),
            ("fault=wrong-length", NetworkConditions(fault: .wrongLength)),
            ("fault=not-a-image&times=1", NetworkConditions(fault: .notAnImage)), ("", NetworkConditions()),
        ])
    func query(query: String, expected: NetworkConditions) throws {
        #expect(try conditions(query) == expected)
    }

    @Test(
        "invalid parameters are rejected",
        arguments: [
            "latency=x", "latency=-1", "bandwidth=0", "status=99", "fault=often", "times=a", "fault=drop-after=-2",
        ])
    func refused(query: String) {
        #expect { try conditions(query) } throws: { ($0 as? RequestFailure)?.status == 400 }
    }

    @Test("times limits the number of failures, so that a retry succeeds")
    func times() throws {
        let faults = try (1...4).map { try conditions("fault=reset&times=2", attempt: $0).fault }
        #expect(faults == [.reset, .reset, nil, nil])
    }

    @Test("the query takes precedence over the defaults")
    func precedence() throws {
        let defaults = NetworkDefaults(latency: .seconds(1), bandwidth: 5, failureRate: 1, faults: [.truncate])
        #expect(try conditions("", defaults) == NetworkConditions(latency: .seconds(1), bandwidth: 5, fault: .truncate))
        #expect(
            try conditions("latency=0&bandwidth=7&fault=reset", defaults)
                == NetworkConditions(bandwidth: 7, fault: .reset)
        )
        #expect(try NetworkConditions(HTTPRequest(target: "/photos"), attempt: 1, defaults: defaults).fault == nil)
    }

    @Test("failures occur at the given rate, are the same for a seed, and differ between attempts")
    func rate() {
        let defaults = NetworkDefaults(failureRate: 0.3, seed: 4)
        let failures = (0..<2000).map { defaults.failure(target: "/images/\($0).jpg", attempt: 1) }
        let share = Double(failures.count { $0 != nil }) / 2000
        #expect(abs(share - 0.3) < 0.04)
        #expect(failures == (0..<2000).map { defaults.failure(target: "/images/\($0).jpg", attempt: 1) })
        #expect(failures != (0..<2000).map { defaults.failure(target: "/images/\($0).jpg", attempt: 2) })
        #expect(Set(failures.compactMap(\.self)) == Set(defaults.faults))
    }
}
