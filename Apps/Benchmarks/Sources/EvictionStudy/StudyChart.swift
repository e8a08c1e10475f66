import Foundation
import ImageMemoryCaching

extension EvictionStudy {
    /// An SVG chart of the policies' hit ratios relative to the optimum. A dot is a trace and capacity, a bar is the
    /// mean.
    public var chart: String {
        let panels = [("by count", byCount), ("by bytes", byBytes)].filter { !$0.1.isEmpty }
        let drawn = panels.enumerated().map { index, panel in
            StudyPanel(
                title: panel.0, names: policies.map(\.name), rows: panel.1, left: Double(index) * StudyPanel.width)
        }
        let (width, height) = (Double(panels.count) * StudyPanel.width, drawn.map(\.height).max() ?? 0)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(Int(height))" \
            viewBox="0 0 \(Int(width)) \(Int(height))" font-family="Helvetica, Arial, sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(drawn.map(\.text).joined(separator: "\n"))
            </svg>

            """
    }
}

/// One half of the chart, with the policies from best to worst.
private struct StudyPanel {
    static let width = 480.0
    private static let (plotLeft, plotRight, top, step) = (112.0, 430.0, 58.0, 34.0)

    let title: String
    let left: Double
    private let axisStart: Double
    private let policies: [(name: String, mean: Double, ratios: [Double])]

    init(title: String, names: [String], rows: [EvictionStudy.Row], left: Double) {
        self.title = title
        self.left = left
        let means = EvictionStudy.means(rows)
        policies = names.indices.map { policy in (names[policy], means[policy], rows.map { $0.ratios[policy] }) }
            .sorted { $0.1 > $1.1 }
        let least = policies.flatMap(\.ratios).min() ?? 0
        axisStart = max(0, (least * 10).rounded(.down) / 10)
    }

    var height: Double { Self.top + Self.step * Double(policies.count) + 44 }

    var text: String {
        let heading = """
            <text x="\(left + 14)" y="24" font-size="15" font-weight="bold" fill="#222222">Hit ratio against the optimum, \(title)</text>
            """
        return ([heading] + axis + policies.indices.flatMap(line)).joined(separator: "\n")
    }

    private func x(_ ratio: Double) -> Double {
        let share = (min(ratio, 1) - axisStart) / (1 - axisStart)
        return left + Self.plotLeft + share * (Self.plotRight - Self.plotLeft)
    }

    private var axis: [String] {
        let bottom = Self.top + Self.step * Double(policies.count)
        return stride(from: axisStart, through: 1.001, by: 0.1).flatMap { value in
            let position = String(format: "%.1f", x(value))
            return [
                "<line x1=\"\(position)\" x2=\"\(position)\" y1=\"\(Self.top - 14)\" y2=\"\(bottom)\" stroke=\"#dddddd\"/>",
                "<text x=\"\(position)\" y=\"\(bottom + 20)\" text-anchor=\"middle\" fill=\"#666666\">"
                    + String(format: "%.1f", value) + "</text>",
            ]
        }
    }

    private func line(_ index: Int) -> [String] {
        let policy = policies[index]
        let y = Self.top + Self.step * Double(index) + 4
        let name =
            "<text x=\"\(left + Self.plotLeft - 12)\" y=\"\(y + 5)\" text-anchor=\"end\" fill=\"#222222\">\(policy.name)</text>"
        let dots = policy.ratios.map { ratio in
            String(
                format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#3b76b8\" fill-opacity=\"0.35\"/>", x(ratio), y)
        }
        let mean = String(
            format: "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"18\" fill=\"#c8501e\"/>", x(policy.mean) - 1.5,
            y - 9)
        let figure =
            "<text x=\"\(left + Self.plotRight + 10)\" y=\"\(y + 5)\" fill=\"#c8501e\">"
            + String(format: "%.3f", policy.mean) + "</text>"
        return [name] + dots + [mean, figure]
    }
}
