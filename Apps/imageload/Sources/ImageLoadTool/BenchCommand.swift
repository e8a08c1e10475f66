import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure performance on your own files.",
        shouldDisplay: false, subcommands: [DecodingBenchCommand.self])
}

struct DecodingBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Measure the time and memory of decoding files.",
        discussion: """
            Reads each file first, then decodes the bytes in memory on one thread. The first iteration is not timed. \
            Times are those of the fastest iteration after it. For an animation, an iteration decodes all frames in \
            order. The peak is the growth of the process's resident memory in the first iteration. For exact peaks, \
            pass one file per run.
            """)

    @Argument(help: "The files to decode.")
    var files: [String]

    @OptionGroup var options: TargetOptions

    @Option(help: "Iterations per file. Default: at least 3, and more until 400 ms are spent.")
    var iterations: Int?

    @Flag(help: "Print one JSON object per line to standard output.")
    var json = false

    func validate() throws {
        guard iterations.map((1...1_000_000).contains) ?? true else {
            throw ValidationError("--iterations must be from 1 to 1,000,000")
        }
    }

    func run() async throws {
        if !json { Console.output(DecodingBenchReport.heading) }
        var first: ToolFailure?
        for file in files {
            do {
                let report = try await measure(file)
                Console.output(json ? try report.json() : report.line)
            } catch let failure as ToolFailure {
                Console.error(failure.line)
                first = first ?? failure
            }
        }
        if let first { throw ExitCode(first.status.rawValue) }
    }

    private func measure(_ file: String) async throws -> DecodingBenchReport {
        let data = try await FileAccess.read(file, options: [])
        return try ToolFailure.naming(file) { () throws(ImageDecodingError) in
            let (image, peak) = try PeakMemory.growth { () throws(ImageDecodingError) in
                let image = try BenchmarkImage(data: data, options)
                try image.decode()
                return image
            }
            let times = try OperationTimes.measure(iterations: iterations) { () throws(ImageDecodingError) in
                try image.decode()
            }
            return DecodingBenchReport(
                file: file, format: image.header.format.rawValue, width: image.size.width, height: image.size.height,
                iterations: times.count, cpuMs: times.minimumProcessorTime.roundedMilliseconds,
                wallMs: times.minimumWallTime.roundedMilliseconds, peakBytes: peak)
        }
    }
}

/// The bytes of one file, and the decoding that one iteration measures.
private struct BenchmarkImage {
    let header: ImageHeader
    private let data: Data
    private let request: DecodingRequest
    /// The idle limit is high enough to reuse the memory of large images.
    private let decoder: DownsamplingDecoder

    init(data: Data, _ options: TargetOptions) throws(ImageDecodingError) {
        self.data = data
        request = options.request
        let limits = options.limits
        decoder = DownsamplingDecoder.standard(.all, limits: limits, idleByteLimit: limits.decodedByteLimit)
        header = try decoder.header(of: data)
    }

    var size: PixelSize { request.outputSize(for: header.size) }

    /// Decodes all frames in order, and keeps one in memory at a time.
    func decode() throws(ImageDecodingError) {
        let reader = try decoder.makeFrameReader(of: data, request: request)
        for frame in 0..<header.frameCount { _ = try reader.frame(at: frame) }
    }
}

/// The result of `bench decode` for one file.
struct DecodingBenchReport: Encodable {
    var file: String
    var format: String
    var width: Int
    var height: Int
    var iterations: Int
    /// The minimum processor time of an iteration in milliseconds: user and system time of all threads.
    var cpuMs: Double
    /// The minimum wall-clock time of an iteration in milliseconds.
    var wallMs: Double
    var peakBytes: Int

    static let heading = "format       size  iterations  processor ms      wall ms        peak  file"

    /// A row of the table under `heading`.
    var line: String {
        let numbers = String(format: "%10d  %12.3f %12.3f", iterations, cpuMs, wallMs)
        let peak = ByteCount.text(peakBytes)
        return format.padded(5) + " " + "\(width)x\(height)".leftPadded(11) + "  " + numbers + "  "
            + peak.leftPadded(10) + "  " + file
    }
}
