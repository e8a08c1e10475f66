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
import ImageTransportCaching

/// Benchmarks of decoding, of processing, of the caches, and of a hit through the loader, each beside its floor in the same run;
/// of the disk cache beside other stores; of loads whose bytes and pixels are fake, beside plain tasks.
///
/// `benchmarks [decode|processing|caches|loader|disk|disk-scale|transport] [--json]`; without a name all of them. Memory of a transport over N
/// requests: `benchmarks transport --soak N`. And what is no time, or not only: hit ratios, `benchmarks eviction`; a list that is scrolled,
/// `benchmarks scroll`.
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
        let isJSON = arguments.contains("--json")
        let names = arguments.filter { $0 != "--json" }
        if names.count == 3, names.prefix(2) == ["transport", "--soak"], let requests = Int(names[2]), requests > 0 {
            return try tell([try await TransportSoak.run(requests: requests)], isJSON, SoakFigures.heading, \.line)
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
        if names.isEmpty || names.contains("decode") {
            let results = try DecodingBenchmarks.run(rounds: 9)
            try tell(results, isJSON, Comparison.heading, \.line)
        }
        if names.isEmpty || names.contains("processing") {
            try tell(try await ProcessingBenchmarks.run(samples: 9), isJSON, Measurement.heading, \.line)
        }
        if names.isEmpty || names.contains("caches") {
            try tell(try await CacheBenchmarks.run(), isJSON, Measurement.heading, \.line)
        }
        if names.isEmpty || names.contains("loader") {
            try tell(try await LoaderBenchmarks.run(), isJSON, Figure.heading("loader, processor time of one"), \.line)
        }
        if names.isEmpty || names.contains("disk") {
            try tell(try await DiskBenchmarks.run(), isJSON, DiskComparison.heading, \.line)
        }
        if names.isEmpty || names.contains("disk-scale") {
            try tell(try await DiskScaleBenchmarks.run(), isJSON, Figure.heading("disk, 100,000 entries"), \.line)
        }
        if names.isEmpty || names.contains("transport") {
            try tell(try await TransportBenchmarks.run(), isJSON, TransportComparison.heading, \.line)
        }
    }

    private static let names = ["decode", "processing", "caches", "loader", "disk", "disk-scale", "transport"]

    private static func tell<Result: Encodable>(
        _ results: [Result], _ isJSON: Bool, _ heading: String, _ line: (Result) -> String
    ) throws {
        if isJSON {
            for result in results { print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self)) }
        } else {
            print(heading)
            for result in results { print(line(result)) }
            // What follows may take a while.
            fflush(nil)
        }
    }
}
