import CoreMetrics
import Testing

@testable import ImageServerKit

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    @Test("writes counters and gauges with their labels, escaped")
    func counters() {
        Counter(label: "a_total", dimensions: [("x", "1\"\\\n"), ("b", "2")], factory: registry).increment(by: 3)
        Counter(label: "a_total", dimensions: [("b", "2"), ("x", "1\"\\\n")], factory: registry).increment()
        Meter(label: "b", dimensions: [], factory: registry).set(1.5)
        #expect(
            registry.text() == """
                # TYPE a_total counter
                a_total{b="2",x="1\\"\\\\\\n"} 4
                # TYPE b gauge
                b 1.5

                """)
    }

    @Test("writes timers as cumulative histograms in seconds")
    func histograms() {
        let timer = Timer(label: "t", dimensions: [], factory: registry)
        for milliseconds in [1, 2, 40, 90_000] { timer.recordMilliseconds(milliseconds) }
        let lines = registry.text().split(separator: "\n")
        #expect(lines.first == "# TYPE t histogram")
        #expect(lines.contains("t_bucket{le=\"0.001\"} 1"))
        #expect(lines.contains("t_bucket{le=\"0.0025\"} 2"))
        #expect(lines.contains("t_bucket{le=\"0.05\"} 3"))
        #expect(lines.contains("t_bucket{le=\"30.0\"} 3"))
        #expect(lines.contains("t_bucket{le=\"+Inf\"} 4"))
        #expect(lines.contains("t_count 4"))
        #expect(lines.contains("t_sum 90.043"))
    }

    @Test("removes destroyed metrics")
    func removal() {
        let counter = Counter(label: "c", dimensions: [], factory: registry)
        counter.destroy()
        #expect(registry.text() == "\n")
    }
}
