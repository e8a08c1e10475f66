import EvictionStudy
import Foundation
import ImageMemoryCaching

/// Prints hit ratios of all policies: `benchmarks eviction [TRACE or FOLDER…]`.
///
/// The first traces are simulated and always the same. The traces that you pass follow.
enum EvictionCommand {
    static func run(_ arguments: [String]) throws -> Bool {
        let traces = simulated + (try arguments.flatMap { try TraceReader.traces(at: URL(filePath: $0)) })
        print(EvictionStudy(traces, policies: [.lru, .lfu, .s3FIFO, .gdsf]).markdown)
        return true
    }

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
