#if os(Linux)
    import Foundation
    import ImageCodecJPEG
    import ImageCodecPNG
    import ImageCore
    import ImageLoaderKit

    /// Measures what a worker process costs, beside decoding in this process.
    enum IsolationBenchmarks {
        private static let local = DownsamplingDecoder.standard(.all)

        static func run(samples: Int) async throws -> [Figure] {
            let photograph = try JPEGEncoder().encode(
                Photograph.bitmap(PixelSize(width: 1632, height: 1224)), options: EncodingOptions())
            let icon = try PNGEncoder().encode(
                Photograph.bitmap(PixelSize(width: 36, height: 36)), options: EncodingOptions())
            let target = DecodingRequest(target: .fit(width: 300, height: 300))
            let workers = makeWorkers()
            var figures = [
                try await compare(
                    "JPEG of 2 megapixels to 300 pixels", workers, photograph, target, samples, goal: 1.1),
                try await compare(
                    "PNG icon of \(icon.count) bytes", workers, icon, DecodingRequest(), samples, goal: nil),
                try await firstImage("first image, with the start of the program", icon, samples, wait: .zero),
                try await firstImage("first image, a second later", icon, samples, wait: .seconds(1), goal: 15),
            ]
            for (name, key) in [("private", "Private_Dirty"), ("proportional", "Pss"), ("resident", "Rss")] {
                figures.append(Figure(name: "memory of an idle worker, \(name)", value: try memory(key), unit: "MB"))
            }
            return withExtendedLifetime(workers) { figures }
        }

        /// Measures the first image of new decoders. They start the program of their workers when they are made.
        private static func firstImage(
            _ name: String, _ icon: Data, _ samples: Int, wait: Duration, goal: Double? = nil
        ) async throws -> Figure {
            var times: [Double] = []
            for _ in 0..<samples {
                let workers = makeWorkers()
                try await Task.sleep(for: wait)
                times.append(try ContinuousClock().measure { _ = try workers.decode(icon) } / .milliseconds(1))
            }
            return Figure(name: name, value: times.sorted()[times.count / 2], unit: "ms", goal: goal)
        }

        private static func makeWorkers() -> IsolatedDecoders {
            IsolatedDecoders(formats: [any ImageDecoder].all.map(\.format), isolation: .workers(1))
        }

        private static func compare(
            _ name: String, _ workers: IsolatedDecoders, _ data: Data, _ request: DecodingRequest, _ samples: Int,
            goal: Double?
        ) async throws -> Figure {
            var (isolated, inProcess): ([Double], [Double]) = ([], [])
            for _ in 0..<samples * 10 {
                let pair = (
                    try await Stopwatch.median("", samples: 1) { _ in _ = try workers.decode(data, request: request) },
                    try await Stopwatch.median("", samples: 1) { _ in _ = try local.decode(data, request: request) }
                )
                isolated.append(pair.0.value)
                inProcess.append(pair.1.value)
            }
            let (ours, base) = (isolated.sorted()[isolated.count / 2], inProcess.sorted()[inProcess.count / 2])
            return Figure(
                name: name, value: ours, unit: "µs", ratio: ours / base, goal: goal,
                beside: [Figure.Other(value: base, name: "in this process")])
        }

        /// Returns a value of the last child process of this one, in megabytes.
        private static func memory(_ key: String) throws -> Double {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            let children = try tasks.flatMap {
                try String(contentsOfFile: "/proc/self/task/\($0)/children", encoding: .utf8).split(separator: " ")
            }
            let path = "/proc/\(children.last ?? "self")/smaps_rollup"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let words = lines.first { $0.hasPrefix(key + ":") }?.split(separator: " ") ?? []
            return (words.dropFirst().first.flatMap { Double($0) } ?? .nan) / 1_024
        }
    }
#endif
