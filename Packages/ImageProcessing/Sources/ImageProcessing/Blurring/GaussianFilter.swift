/// Filters a line with a Gaussian: with a weighted sum for a small sigma, with box averages for a large one.
enum GaussianFilter {
    case sum(weights: [Double])
    case boxes(radius: Int, edge: Double)

    /// The number of box averages. Their sum is within 1% of a Gaussian.
    private static let boxCount = 4

    init(sigma: Double) {
        self =
            sigma < 2
            ? .sum(weights: Self.weights(sigma: sigma)) : Self.boxes(variance: sigma * sigma / Double(Self.boxCount))
    }

    /// Filters `samples` into `result`. Both have the same length and are not empty. The first and last samples repeat beyond
    /// the ends.
    func apply(to line: inout FilteredLine) {
        switch self {
        case .sum(let weights): Self.add(weights, to: &line)
        case .boxes(let radius, let edge):
            for _ in 0..<Self.boxCount {
                Self.average(&line, radius: radius, edge: edge)
                swap(&line.samples, &line.result)
            }
            swap(&line.samples, &line.result)
        }
    }

    /// Returns the weights of the center, of both neighbors, and so on, up to five standard deviations. The weight beyond
    /// that is below 1e-6.
    private static func weights(sigma: Double) -> [Double] {
        let values = (0...Int((5 * sigma).rounded(.up))).map { distance in
            let deviations = Double(distance) / sigma
            return exponential(of: -deviations * deviations / 2)
        }
        let sum = values.dropFirst().reduce(values[0]) { $0 + 2 * $1 }
        return values.map { $0 / sum }
    }

    /// Returns a box whose samples just beyond the radius have the weight `edge`, so that it has any variance.
    private static func boxes(variance: Double) -> GaussianFilter {
        let radius = ((12 * variance + 1).squareRoot() - 1) / 2
        let whole = radius.rounded(.down)
        let squares = whole * (whole + 1) * (2 * whole + 1) / 3
        let edge = ((2 * whole + 1) * variance - squares) / (2 * ((whole + 1) * (whole + 1) - variance))
        return .boxes(radius: Int(whole), edge: edge)
    }

    private static func add(_ weights: [Double], to line: inout FilteredLine) {
        let last = line.samples.count - 1
        for index in line.samples.indices {
            var sum = line.samples[index] * weights[0]
            for distance in 1..<weights.count {
                let both = line.samples[max(0, index - distance)] + line.samples[min(last, index + distance)]
                sum += both * weights[distance]
            }
            line.result[index] = sum
        }
    }

    private static func average(_ line: inout FilteredLine, radius: Int, edge: Double) {
        let last = line.samples.count - 1
        let scale = 1 / (Double(2 * radius + 1) + 2 * edge)
        var sum = line.samples[0] * Double(radius)
        for index in 0...radius { sum += line.samples[min(index, last)] }
        for index in 0...last {
            let before = line.samples[max(0, index - radius - 1)]
            let after = line.samples[min(last, index + radius + 1)]
            line.result[index] = (sum + (before + after) * edge) * scale
            sum += after - line.samples[max(0, index - radius)]
        }
    }

    /// Returns e raised to `power`, which is at most 0. Unlike those of C libraries, the result is the same everywhere.
    private static func exponential(of power: Double) -> Double {
        // (e^(x/1024))^1024, where the inner power is a Taylor series.
        let part = max(power, -690) / 1024
        var sum = 1 + part / 8
        for divisor in stride(from: 7.0, through: 1, by: -1) { sum = 1 + part / divisor * sum }
        for _ in 0..<10 { sum *= sum }
        return sum
    }
}
