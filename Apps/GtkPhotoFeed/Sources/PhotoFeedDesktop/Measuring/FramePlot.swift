/// Draws frame times as an SVG image: the median and the 95th percentile of each group of frames.
struct FramePlot {
    struct Series {
        var name: String
        var color: String
        /// The time of each frame, in milliseconds.
        var values: [Double]
    }

    var title: String
    /// The upper limit of a frame's time, in milliseconds.
    var goal: Double
    var series: [Series]

    private static let (width, height, left, bottom, top) = (860.0, 340.0, 54.0, 40.0, 34.0)
    private static let groupCount = 120

    var svg: String {
        let largest = series.flatMap(\.values).max() ?? 1
        let ceiling = Swift.max(goal * 2, (percentile(series.flatMap(\.values), 0.995) / 4).rounded(.up) * 4)
        let lines = series.enumerated().flatMap { drawing($1, number: $0, ceiling: ceiling) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(Self.width)) \(text(Self.height))" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            <text x="\(text(Self.left))" y="18" font-size="14">\(title), worst \(decimal(largest, places: 1)) ms</text>
            \((grid(ceiling) + lines).joined(separator: "\n"))
            </svg>

            """
    }

    private func grid(_ ceiling: Double) -> [String] {
        let ticks = stride(from: 0, through: ceiling, by: ceiling / 4).map { value in
            let y = text(self.y(value, ceiling))
            return
                "<line x1=\"\(text(Self.left))\" x2=\"\(text(Self.width - 10))\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"#ddd\"/>"
                + "<text x=\"\(text(Self.left - 6))\" y=\"\(y)\" text-anchor=\"end\">\(decimal(value, places: 0)) ms</text>"
        }
        let y = text(self.y(goal, ceiling))
        let line =
            "<line x1=\"\(text(Self.left))\" x2=\"\(text(Self.width - 10))\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"#888\" stroke-dasharray=\"5 4\"/>"
        return ticks + [line]
    }

    private func drawing(_ series: Series, number: Int, ceiling: Double) -> [String] {
        let chunks = chunks(of: series.values)
        func path(_ share: Double) -> String {
            chunks.enumerated().map { index, chunk in
                let x = Self.left + (Double(index) + 0.5) / Double(chunks.count) * (Self.width - Self.left - 10)
                return "\(text(x)),\(text(y(percentile(chunk, share), ceiling)))"
            }.joined(separator: " ")
        }
        let x = Self.left + Double(number) * 330
        return [
            "<polyline points=\"\(path(0.5))\" fill=\"none\" stroke=\"\(series.color)\" stroke-width=\"1.6\"/>",
            "<polyline points=\"\(path(0.95))\" fill=\"none\" stroke=\"\(series.color)\" stroke-opacity=\".45\"/>",
            "<text x=\"\(text(x))\" y=\"\(text(Self.height - 10))\" fill=\"\(series.color)\">\(series.name): median, and 95th percentile (lighter)</text>",
        ]
    }

    private func chunks(of values: [Double]) -> [[Double]] {
        let size = Swift.max(1, values.count / Self.groupCount)
        return stride(from: 0, to: values.count, by: size).map {
            Array(values[$0..<Swift.min($0 + size, values.count)])
        }
    }

    private func percentile(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    private func y(_ value: Double, _ ceiling: Double) -> Double {
        let space = Self.height - Self.bottom - Self.top
        return Self.top + space * (1 - Swift.min(value, ceiling) / ceiling)
    }

    private func text(_ value: Double) -> String { decimal(value, places: 1) }
}
