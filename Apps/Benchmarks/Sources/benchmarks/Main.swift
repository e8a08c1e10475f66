import Foundation
import ImageCodecJPEG
import ImageCore
import ImageDecoding
import ImageDiskCaching
import ImageHTTPCaching
import ImageLoaderKit
import ImageLoading
import ImageMemoryCaching
import ImageTesting

/// Runs the benchmarks. Each compares the library with a baseline in the same run.
///
/// - `benchmarks [decode|processing|caches|loader|disk|disk-scale|transport] [--json]` measures times, by default all.
/// - `benchmarks transport --soak N` measures the memory of a transport over N requests.
/// - `benchmarks eviction` measures hit ratios.
/// - `benchmarks scroll` simulates a scrolled list.
/// - `benchmarks feed` has the parts of `Scripts/bench-feed`.
@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "eviction" { return try EvictionCommand.run(Array(arguments.dropFirst())) }
        if arguments.first == LoopbackOrigin.command { return LoopbackOrigin.serve() }
        if arguments.first == "scroll" {
            guard try ScrollCommand.run(Array(arguments.dropFirst())) else { exit(1) }
            return
        }
        if arguments.first == "feed" {
            guard try await FeedCommand.run(Array(arguments.dropFirst())) else {
                print("usage: \(FeedCommand.usage)")
                exit(64)
            }
            return
        }
        let isJSON = arguments.contains("--json")
        let names = arguments.filter { $0 != "--json" }
        if names.count == 3, names.prefix(2) == ["transport", "--soak"], let requests = Int(names[2]), requests > 0 {
            return try report([try await TransportSoak.run(requests: requests)], isJSON, SoakFigures.heading, \.line)
        }
        guard names.allSatisfy({ Self.names.contains($0) }) else {
            print(
                """
                usage: benchmarks [\(Self.names.joined(separator: "|"))] [--json]
                       benchmarks transport --soak REQUESTS [--json]
                       benchmarks eviction [TRACE…] [--svg FILE]
                       benchmarks scroll [--json]
                """)
            exit(64)
        }
        freeThumbnail()
        if names.isEmpty || names.contains("decode") {
            let results = try DecodingBenchmarks.run(rounds: 9)
            try report(results, isJSON, Comparison.heading, \.line)
        }
        if names.isEmpty || names.contains("processing") {
            try report(try await ProcessingBenchmarks.run(samples: 9), isJSON, Measurement.heading, \.line)
        }
        if names.isEmpty || names.contains("caches") {
            try report(try await CacheBenchmarks.run(), isJSON, Measurement.heading, \.line)
        }
        if names.isEmpty || names.contains("loader") {
            try report(
                try await LoaderBenchmarks.run(), isJSON, Figure.heading("loader, processor time of one"), \.line)
        }
        if names.isEmpty || names.contains("disk") {
            try report(try await DiskBenchmarks.run(), isJSON, DiskComparison.heading, \.line)
        }
        if names.isEmpty || names.contains("disk-scale") {
            try report(try await DiskScaleBenchmarks.run(), isJSON, Figure.heading("disk, 100,000 entries"), \.line)
        }
        if names.isEmpty || names.contains("transport") {
            try report(try await TransportBenchmarks.run(), isJSON, TransportComparison.heading, \.line)
        }
    }

    private static let names = ["decode", "processing", "caches", "loader", "disk", "disk-scale", "transport"]

    /// Frees a block of the size of a thumbnail, as any program has that shows images.
    ///
    /// From then on glibc keeps up to twice as much free memory in each heap (mallopt(3), `M_MMAP_THRESHOLD`). Without it,
    /// memory that is often allocated and freed is returned to the system, and each of its pages is faulted in again.
    private static func freeThumbnail() { withExtendedLifetime(Data(repeating: 255, count: 300 * 300 * 4)) {} }

    private static func report<Result: Encodable>(
        _ results: [Result], _ isJSON: Bool, _ heading: String, _ line: (Result) -> String
    ) throws {
        if isJSON {
            for result in results { print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self)) }
        } else {
            print(heading)
            for result in results { print(line(result)) }
            // Shows the table before the next benchmark starts.
            fflush(nil)
        }
    }
}
