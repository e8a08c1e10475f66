import EvictionStudy
import Foundation
import ImageMemoryCaching

/// Prints hit ratios of all policies: `benchmarks eviction [TRACE or FOLDER…] [--svg FILE]`.
///
/// The first traces are simulated and always the same. The traces that you pass follow.
enum EvictionCommand {
    static func run(_ arguments: [String]) throws -> Bool {
        var paths = arguments
        var chart: String?
        if let option = paths.firstIndex(of: "--svg"), option + 1 < paths.count {
            chart = paths[option + 1]
            paths.removeSubrange(option...option + 1)
        }
        let traces = simulated + (try paths.flatMap { try TraceReader.traces(at: URL(filePath: $0)) })
        let study = EvictionStudy(traces, policies: policies)
        print(study.markdown)
        if let chart { try Data(study.chart.utf8).write(to: URL(filePath: chart)) }
        return true
    }

    private static let policies: [EvictionPolicy] = [.lru, .lfu, .s3FIFO, .gdsf]

    private static var simulated: [Trace] {
        var long = FeedScroll()
        long.seed = 2
        long.sessions = 120
        long.meanDepth = 150
        long.archiveEvery = 10
        return [
            FeedScroll().trace(named: "feed"), long.trace(named: "feed, long sessions"),
            .zipf(named: "Zipf 0.9", exponent: 0.9, seed: 3), .zipf(named: "Zipf 1.1", exponent: 1.1, seed: 4),
        ]
    }
}
