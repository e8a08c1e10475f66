import Foundation

/// Draws the time of a hit against the number of entries, both on logarithmic scales.
enum HitChart {
    private static let width = 760.0
    private static let height = 420.0
    private static let left = 70.0
    private static let right = 230.0
    private static let top = 30.0
    private static let bottom = 50.0
    private static let colors = [
        "#1b6ca8", "#d1495b", "#2a9d55", "#8d5fd3", "#e08e0b", "#555555", "#0aa5a5", "#b04a9e",
        "#8c564b", "#7f9f00", "#111111", "#5b5bff",
    ]

    static func svg(_ points: [Point]) -> String {
        // Of the paired measurements, draws only the peers. The cache itself is already in the chart.
        let ours = Set(points.filter { $0.operation == .hit }.map(\.name))
        let shown = points.filter {
            ($0.operation == .hit && !$0.name.contains("wall"))
                || ($0.operation == .pairedHit && !ours.contains($0.name))
        }
        let names = shown.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let lines = names.enumerated().map { index, name in
            line(name, shown.filter { $0.name == name }, index, names.count)
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="\(left)" y="18">processor time of one hit, nanoseconds, over the number of entries</text>
            \(grid())
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    private static func grid() -> String {
        let horizontal = (1...8).map { power in
            let y = y(pow(10, Double(power)))
            return """
                <line x1="\(left)" x2="\(width - right)" y1="\(y)" y2="\(y)" stroke="#dddddd"/>
                <text x="\(left - 8)" y="\(y + 4)" text-anchor="end">\(label(power))</text>
                """
        }
        let vertical = (3...6).map { power in
            "<text x=\"\(x(pow(10, Double(power))))\" y=\"\(height - bottom + 20)\" text-anchor=\"middle\">\(label(power))</text>"
        }
        return (horizontal + vertical).joined(separator: "\n")
    }

    private static func line(_ name: String, _ points: [Point], _ index: Int, _ total: Int) -> String {
        let color = colors[index % colors.count]
        let path = points.map { "\(x(Double($0.count))),\(y($0.nanoseconds))" }.joined(separator: " ")
        let dots = points.map { point in
            "<circle cx=\"\(x(Double(point.count)))\" cy=\"\(y(point.nanoseconds))\" r=\"3\" fill=\"\(color)\"/>"
        }
        let dashes = name.hasPrefix("Memory") ? "" : " stroke-dasharray=\"5 3\""  // other implementations
        let legendY = top + 16 + Double(index) * 18
        return """
            <polyline points="\(path)" fill="none" stroke="\(color)" stroke-width="1.5"\(dashes)/>
            \(dots.joined(separator: "\n"))
            <rect x="\(width - right + 20)" y="\(legendY - 9)" width="10" height="10" fill="\(color)"/>
            <text x="\(width - right + 36)" y="\(legendY)">\(name)</text>
            """
    }

    private static func label(_ power: Int) -> String {
        power < 3
            ? "\(Int(pow(10, Double(power))))"
            : power < 6 ? "\(Int(pow(10, Double(power - 3))))k" : "\(Int(pow(10, Double(power - 6))))M"
    }

    private static func x(_ count: Double) -> Double {
        rounded(left + (log10(count) - 3) / 3 * (width - left - right))
    }

    private static func y(_ nanoseconds: Double) -> Double {
        rounded(height - bottom - (log10(nanoseconds) - 1) / 7 * (height - top - bottom))
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
