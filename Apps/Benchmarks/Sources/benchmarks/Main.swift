import Foundation
import ImageLoaderKit

/// Runs the benchmarks. Each compares the library with a baseline in the same run.
///
/// - `benchmarks [decode|isolation|processing|caches|loader|disk|disk-scale|transport] [--json]` measures times, by default all.
/// - `benchmarks transport --soak N` measures the memory of a transport over N requests.
/// - `benchmarks eviction` measures hit ratios.
/// - `benchmarks previews` measures how soon previews show photographs.
/// - `benchmarks feed-images` writes the images of `Apps/Benchmarks/Scripts/bench-feed`.
@main
enum Main {
    static func main() async throws {
        #if os(Linux)
            ImageWorker.runIfAsked()
        #endif
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isSuccessful =
            switch arguments.first {
            case "eviction": try EvictionCommand.run(Array(arguments.dropFirst()))
            case "previews": try PreviewBenchmarks.run(Array(arguments.dropFirst()))
            case "feed-images": try FeedImages.write(Array(arguments.dropFirst()))
            case LoopbackOrigin.command: LoopbackOrigin.serve()
            default: try await measure(arguments.filter { $0 != "--json" }, isJSON: arguments.contains("--json"))
            }
        if !isSuccessful { exit(1) }
    }

    private static let groups = [
        "decode", "isolation", "processing", "caches", "loader", "disk", "disk-scale", "transport",
    ]

    private static func measure(_ names: [String], isJSON: Bool) async throws -> Bool {
        if names.count == 3, names.prefix(2) == ["transport", "--soak"], let requests = Int(names[2]), requests > 0 {
            try report(try await TransportSoak.run(requests: requests), isJSON, "memory of a transport")
            return true
        }
        guard names.allSatisfy(groups.contains) else {
            print(
                """
                usage: benchmarks [\(groups.joined(separator: "|"))] [--json]
                       benchmarks transport --soak REQUESTS [--json]
                       benchmarks eviction [TRACE…]
                       benchmarks previews FILE…
                       benchmarks feed-images FOLDER COUNT MEGAPIXELS
                """)
            exit(64)
        }
        freeThumbnail()
        for group in groups where names.isEmpty || names.contains(group) { try await run(group, isJSON) }
        return true
    }

    private static func run(_ group: String, _ isJSON: Bool) async throws {
        let figures =
            switch group {
            case "decode": try DecodingBenchmarks.run(rounds: 9)
            case "isolation": try await measureIsolation()
            case "processing": try await ProcessingBenchmarks.run(samples: 9)
            case "caches": try await CacheBenchmarks.run()
            case "loader": try await LoaderBenchmarks.run()
            case "disk": try await DiskBenchmarks.run()
            case "disk-scale": try await DiskScaleBenchmarks.run()
            default: try await TransportBenchmarks.run()
            }
        try report(figures, isJSON, group)
    }

    /// Returns nothing on systems without isolation.
    private static func measureIsolation() async throws -> [Figure] {
        #if os(Linux)
            try await IsolationBenchmarks.run(samples: 9)
        #else
            []
        #endif
    }

    /// Frees a block of the size of a thumbnail, as any program has that shows images.
    ///
    /// From then on glibc keeps up to twice as much free memory in each heap (mallopt(3), `M_MMAP_THRESHOLD`). Without it,
    /// memory that is often allocated and freed is returned to the system, and each of its pages is faulted in again.
    private static func freeThumbnail() { withExtendedLifetime(Data(repeating: 255, count: 300 * 300 * 4)) {} }

    private static func report(_ figures: [Figure], _ isJSON: Bool, _ title: String) throws {
        if isJSON {
            for figure in figures { print(String(decoding: try JSONEncoder().encode(figure), as: UTF8.self)) }
        } else {
            print(Figure.heading(title))
            for figure in figures { print(figure.line) }
            // Shows the table before the next benchmark starts.
            fflush(nil)
        }
    }
}
