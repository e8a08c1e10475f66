import Metrics
import Testing

@testable import ImageServerKit

@Suite struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics(help: ["bytes_read_total": "Bytes.", "wait_seconds": "Waiting."])

    private func fill() {
        Counter(label: "bytes_read_total", dimensions: [("name", "a\"b\\c\nd")], factory: metrics).increment(by: 3)
        Counter(label: "bytes_read_total", dimensions: [("name", "a\"b\\c\nd")], factory: metrics).increment(by: 4)
        Meter(label: "level", factory: metrics).set(1.5)
        Metrics.Timer(label: "wait_seconds", factory: metrics).recordNanoseconds(2_000_000_000)
    }

    @Test("writes help, type, unit and samples, and adds to the metric of equal labels")
    func text() {
        fill()
        let text = metrics.text(.text)
        #expect(
            text.hasPrefix(
                #"""
                # HELP bytes_read_total Bytes.
                # TYPE bytes_read_total counter
                bytes_read_total{name="a\"b\\c\nd"} 7
                # TYPE level gauge
                level 1.5
                # HELP wait_seconds Waiting.
                # TYPE wait_seconds histogram
                # UNIT wait_seconds seconds
                wait_seconds_bucket{le="0.001"} 0

                """#))
        #expect(text.contains("wait_seconds_bucket{le=\"1.0\"} 0\nwait_seconds_bucket{le=\"2.5\"} 1\n"))
        #expect(text.hasSuffix("wait_seconds_bucket{le=\"+Inf\"} 1\nwait_seconds_sum 2\nwait_seconds_count 1\n"))
    }

    @Test("OpenMetrics names counters without the suffix of their sample, and has an end")
    func openMetrics() {
        fill()
        let text = metrics.text(.openMetrics)
        #expect(text.hasPrefix("# HELP bytes_read Bytes.\n# TYPE bytes_read counter\nbytes_read_total{"))
        #expect(text.hasSuffix("wait_seconds_count 1\n# EOF\n"))
    }

    @Test("a gauge goes up and down, and a recorder without aggregation keeps the last value")
    func gauges() {
        let meter = Meter(label: "level", factory: metrics)
        for amount in [3.0, 4.0] { meter.increment(by: amount) }
        meter.decrement(by: 2)
        for value in [8, 9] { Gauge(label: "size", factory: metrics).record(value) }
        #expect(metrics.text(.text) == "# TYPE level gauge\nlevel 5\n# TYPE size gauge\nsize 9\n")
    }
}
