import EvictionStudy
import Foundation
import ImageMemoryCaching

/// Prints hit ratios of all policies: `benchmarks eviction [TRACE or FOLDER…]`.
///
/// The first traces are simulated and always the same. The traces that you pass follow.
enum EvictionCommand {
    static func run(_ arguments: [String]) throws -> Bool {
        let traces = Trace.simulated + (try arguments.flatMap { try Trace.read(at: URL(filePath: $0)) })
        print(EvictionStudy(traces, policies: [.lru, .lfu, .s3FIFO, .gdsf]).markdown)
        return true
    }
}
