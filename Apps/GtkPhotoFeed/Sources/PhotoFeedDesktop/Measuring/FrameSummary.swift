internal import GtkImageUI

/// Medians and 95th percentiles of frames, in milliseconds.
struct FrameSummary {
    struct Percentiles: CustomStringConvertible {
        var median: Double
        var nearlyAll: Double
        var worst: Double

        init(_ durations: [Duration]) {
            let sorted = durations.map { $0 / .milliseconds(1) }.sorted()
            func at(_ share: Double) -> Double {
                sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            }
            (median, nearlyAll, worst) = (at(0.5), at(0.95), sorted.last ?? 0)
        }

        var description: String { "\(decimal(median, places: 2)) / \(decimal(nearlyAll, places: 2))" }
    }

    let count: Int
    let processorTime: Percentiles
    let paintTime: Percentiles
    let ownTime: Percentiles
    let interval: Percentiles

    init(_ frames: [FrameSample]) {
        count = frames.count
        processorTime = Percentiles(frames.map(\.processorTime))
        paintTime = Percentiles(frames.map(\.paintTime))
        ownTime = Percentiles(frames.map(\.ownTime))
        interval = Percentiles(frames.map(\.interval))
    }
}

/// With a point, whatever the locale is.
func decimal(_ value: Double, places: Int) -> String {
    var factor = 1
    for _ in 0..<places { factor *= 10 }
    let scaled = Int((abs(value) * Double(factor)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % factor)
    return "\(sign)\(scaled / factor)." + String(repeating: "0", count: places - fraction.count) + fraction
}
