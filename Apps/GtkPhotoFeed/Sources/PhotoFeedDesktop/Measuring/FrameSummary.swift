internal import GtkImageUI

/// The median, 95th percentile and maximum of each time of frames, in milliseconds.
struct FrameSummary {
    struct Percentiles: CustomStringConvertible {
        var median: Double
        var p95: Double
        var worst: Double

        init(_ durations: [Duration]) {
            let sorted = durations.map { $0 / .milliseconds(1) }.sorted()
            func at(_ share: Double) -> Double {
                sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            }
            (median, p95, worst) = (at(0.5), at(0.95), sorted.last ?? 0)
        }

        var description: String { "\(decimal(median, places: 2)) / \(decimal(p95, places: 2))" }
    }

    let count: Int
    let processorTime: Percentiles
    let paintTime: Percentiles
    let appTime: Percentiles
    let interval: Percentiles

    init(_ frames: [FrameSample]) {
        count = frames.count
        processorTime = Percentiles(frames.map(\.processorTime))
        paintTime = Percentiles(frames.map(\.paintTime))
        appTime = Percentiles(frames.map(\.appTime))
        interval = Percentiles(frames.map(\.interval))
    }
}

/// Formats a number with a decimal point, independent of the locale.
func decimal(_ value: Double, places: Int) -> String {
    var factor = 1
    for _ in 0..<places { factor *= 10 }
    let scaled = Int((abs(value) * Double(factor)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % factor)
    return "\(sign)\(scaled / factor)." + String(repeating: "0", count: places - fraction.count) + fraction
}
