import Foundation
import ImageMemoryCaching

extension EvictionStudy {
    /// Markdown tables of the hit ratios by count, and by bytes for traces with sizes.
    public var markdown: String {
        var parts = [table(byCount, of: "distinct keys", { String(format: "%.3f", $0.hitRatio) })]
        if !byBytes.isEmpty {
            parts.append(table(byBytes, of: "bytes", { String(format: "%.3f / %.3f", $0.hitRatio, $0.byteHitRatio) }))
        }
        return parts.joined(separator: "\n\n")
    }

    private func table(_ rows: [Row], of unit: String, _ text: (Outcome) -> String) -> String {
        let heading = ["trace, share of \(unit)"] + policies.map(\.name) + ["optimum"]
        let body = rows.map { row in
            ["\(row.trace) \(Self.percent(row.share))"] + row.outcomes.map(text) + [text(row.optimum)]
        }
        let means = ["mean of hit ratio / optimum"] + Self.means(rows).map { String(format: "%.3f", $0) } + ["1"]
        let rule = ["---"] + heading.dropFirst().map { _ in "---:" }
        return ([heading, rule] + body + [means]).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }

    static func percent(_ share: Double) -> String { String(format: "%g %%", share * 100) }
}
