import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import InMemoryLogging
import Logging
import Metrics
import Synchronization
import Testing

@testable import ImageServerKit

@Suite(.timeLimit(.minutes(5))) struct MetricsExporterTests {
    private let transport = ScriptedTransport()
    private let clock = ManualClock()
    private let log = InMemoryLogHandler()
    private let metrics = PrometheusMetrics(help: ["bytes_read_total": "Bytes."])
    private let exporter: MetricsExporter
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://collector.example:4318/v1/metrics"))
        let collector = Collector(service: "thumbnails")
        let logger = Logger(label: "test") { [log] _ in log }
        exporter = MetricsExporter(
            client: CollectorClient(.metrics, at: url, of: collector, over: transport, logger: logger),
            metrics: metrics, interval: .seconds(60), clock: clock, now: { Date(timeIntervalSince1970: 1_700_000_060) },
            start: Date(timeIntervalSince1970: 1_700_000_000),
            updateGauges: { [metrics] in Meter(label: "level", factory: metrics).set(1.5) })
    }

    /// The metrics of the requests so far, by their names.
    private var sent: [[String: [String: Any]]] {
        get throws {
            try transport.requests.map { request in
                let object = try JSONSerialization.jsonObject(with: try #require(request.body)) as? [String: Any]
                let resource = try #require((object?["resourceMetrics"] as? [[String: Any]])?.first)
                let scope = try #require((resource["scopeMetrics"] as? [[String: Any]])?.first)
                let metrics = try #require(scope["metrics"] as? [[String: Any]])
                return Dictionary(uniqueKeysWithValues: metrics.map { ($0["name"] as? String ?? "", $0) })
            }
        }
    }

    private func point(_ metric: [String: Any]?, _ kind: String) throws -> [String: Any] {
        let data = try #require(metric?[kind] as? [String: Any])
        return try #require((data["dataPoints"] as? [[String: Any]])?.first)
    }

    @Test("sums, gauges and histograms have the members of OTLP's JSON")
    func document() async throws {
        transport.script(url, .status(.ok))
        Counter(label: "bytes_read_total", dimensions: [("name", "a\"b")], factory: metrics).increment(by: 7)
        let timer = Metrics.Timer(label: "wait_seconds", factory: metrics)
        for milliseconds in [1, 2, 2, 30_000, 31_000] { timer.recordMilliseconds(Int64(milliseconds)) }
        await exporter.finish()
        #expect(transport.requests.first?.headers[.contentType] == "application/json")
        let all = try #require(try sent.first)
        let sum = try #require(all["bytes_read_total"])
        #expect(sum["description"] as? String == "Bytes.")
        let data = try #require(sum["sum"] as? [String: Any])
        #expect(data["isMonotonic"] as? Bool == true && data["aggregationTemporality"] as? Int == 2)
        let value = try point(sum, "sum")
        #expect(value["asDouble"] as? Double == 7)
        #expect(value["startTimeUnixNano"] as? String == "1700000000000000000")
        #expect(value["timeUnixNano"] as? String == "1700000060000000000")
        #expect("\(value["attributes"] ?? "")".contains(#""stringValue": "a\"b""#))
        let gauge = try #require(all["level"])
        #expect(try point(gauge, "gauge")["asDouble"] as? Double == 1.5)
        #expect((gauge["gauge"] as? [String: Any])?.keys.sorted() == ["dataPoints"])
        #expect(all["wait_seconds"]?["unit"] as? String == "s")
        let histogram = try point(all["wait_seconds"], "histogram")
        let bounds = try #require(histogram["explicitBounds"] as? [Double])
        let counts = try #require(histogram["bucketCounts"] as? [String])
        #expect(histogram["count"] as? String == "5" && abs((histogram["sum"] as? Double ?? 0) - 61.005) < 1e-6)
        #expect(counts.count == bounds.count + 1 && bounds.first == 0.001 && bounds.last == 30)
        #expect(counts == ["1", "2"] + Array(repeating: "0", count: 11) + ["1", "1"], "not cumulative")
    }

    @Test("sends the sums since the start after each interval, one export at a time")
    func intervals() async throws {
        let gate = TestGate()
        transport.script(url, .init(beforeHead: [.wait(gate)], announcedByteCount: 0), .status(.ok))
        let counter = Counter(label: "a_total", factory: metrics)
        let running = Task { await exporter.run() }
        await clock.waitForSleepers(1)
        counter.increment()
        clock.advance(by: .seconds(60))
        await transport.waitForSends(1)
        counter.increment(by: 2)
        clock.advance(by: .seconds(600))
        #expect(transport.sendCount == 1, "nothing is sent beside the slow one")
        gate.open()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        await transport.waitForSends(2)
        await clock.waitForSleepers(1)
        running.cancel()
        await running.value
        #expect(try sent.map { try point($0["a_total"], "sum")["asDouble"] as? Double } == [1, 3])
    }

    @Test("a collector that is down is logged once, and gets the sums when it is back", arguments: [true, false])
    func outage(isRefused: Bool) async throws {
        let down = isRefused ? ScriptedTransport.Reply.refused : .status(.notFound)
        transport.script(url, down, down, down, .status(.ok))
        let running = Task { await exporter.run() }
        for count in 1...4 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(60))
            await transport.waitForSends(count)
        }
        await clock.waitForSleepers(1)
        running.cancel()
        await running.value
        #expect(log.entries.map(\.message) == ["metrics can't be exported", "metrics are exported again"])
    }

    @Test("the last export ends when the collector is too slow")
    func slowEnd() async throws {
        let gate = TestGate()
        transport.script(url, .init(beforeHead: [.wait(gate)]))
        let end = Task { await exporter.finish() }
        await transport.waitForSends(1)
        await clock.waitForSleepers(1)
        clock.advance(by: CollectorClient.timeout)
        await end.value
        #expect(transport.cancellationCount == 1)
    }
}
