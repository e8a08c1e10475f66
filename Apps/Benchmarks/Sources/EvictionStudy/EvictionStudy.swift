import Foundation
public import ImageMemoryCaching

/// Simulates each policy on each trace at several capacities, and compares it with the optimum.
public struct EvictionStudy: Sendable {
    /// The results for a trace at a capacity: those of the policies, then that of the optimum.
    private struct Row {
        var name: String
        var hits: [HitRatios]
    }

    private let policies: [EvictionPolicy]
    private let traces: [Trace]

    /// - Parameters:
    ///   - traces: The accesses to simulate.
    ///   - policies: The policies, which are the columns of the tables.
    public init(_ traces: [Trace], policies: [EvictionPolicy]) {
        self.traces = traces
        self.policies = policies
    }

    /// Markdown tables of the hit ratios, by count, and by bytes for traces with sizes. Computing them takes seconds.
    public var markdown: String {
        let byCount = rows(traces, shares: [0.05, 0.1, 0.25], inBytes: false)
        let byBytes = rows(traces.filter(\.hasSizes), shares: [0.01, 0.1], inBytes: true)
        let parts = [table(byCount, of: "distinct keys") { String(format: "%.3f", $0.ofLookups) }]
        if byBytes.isEmpty { return parts[0] }
        return parts[0] + "\n\n"
            + table(byBytes, of: "bytes") { String(format: "%.3f / %.3f", $0.ofLookups, $0.ofBytes) }
    }

    private func rows(_ traces: [Trace], shares: [Double], inBytes: Bool) -> [Row] {
        traces.flatMap { trace in
            shares.map { share in
                let capacity = Capacity(share, of: trace, inBytes: inBytes)
                let hits = policies.map { trace.hits(of: $0, capacity) } + [trace.hitsOfOptimum(capacity)]
                return Row(name: "\(trace.name) \(String(format: "%g %%", share * 100))", hits: hits)
            }
        }
    }

    private func table(_ rows: [Row], of unit: String, _ text: (HitRatios) -> String) -> String {
        let heading = ["trace, share of \(unit)"] + policies.map(\.name) + ["optimum"]
        let means = policies.indices.map { policy in
            rows.reduce(0) { $0 + $1.hits[policy].ofLookups / $1.hits[policies.count].ofLookups } / Double(rows.count)
        }
        let last = ["mean of hit ratio / optimum"] + means.map { String(format: "%.3f", $0) } + ["1"]
        let rule = ["---"] + heading.dropFirst().map { _ in "---:" }
        return ([heading, rule] + rows.map { [$0.name] + $0.hits.map(text) } + [last])
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}
