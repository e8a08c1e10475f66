import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure on your own files.", subcommands: [DecodingBenchCommand.self])
}

struct DecodingBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Measure time and memory of decoding files.",
        discussion: """
            Each file is read first; what is measured is decoding the bytes in memory, on one thread. Times are those of the \
            fastest iteration, after one that is not timed. An iteration on an animation decodes all its frames in order. \
            The peak is how far the first, untimed one raised the process's resident memory; name one file a run for exact \
            figures.
            """)

    @Argument(help: "The files.")
    var files: [String]

    @OptionGroup var options: TargetOptions

    @Option(help: "Iterations of each file. Default: at least 3, then for 400 ms.")
    var iterations: Int?

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    func validate() throws {
        guard iterations.map((1...1_000_000).contains) ?? true else {
            throw ValidationError("--iterations takes 1 to 1,000,000")
        }
    }

    func run() async throws {
        if !json { Console.output(DecodingBenchReport.heading) }
        var first: Refusal?
        for file in files {
            do {
                let report = try await measure(file)
                Console.output(json ? try report.json() : report.line)
            } catch let refusal as Refusal {
                Console.error(refusal.line)
                first = first ?? refusal
            }
        }
        if let first { throw ExitCode(first.status.rawValue) }
    }

    private func measure(_ file: String) async throws -> DecodingBenchReport {
        let data = try await FileAccess.read(file, options: [])
        do throws(DecodingFailure) {
            let (image, peak) = try PeakMemory.growth { () throws(DecodingFailure) in
                let image = try BenchedImage(data: data, target: options.target)
                try image.decode()
                return image
            }
            let times = try OperationTimes.measure(Repetition(exactly: iterations)) { () throws(DecodingFailure) in
                try image.decode()
            }
            return DecodingBenchReport(
                file: file, header: image.header, size: image.size, times: times, peakBytes: peak)
        } catch {
            throw Refusal(error, subject: file)
        }
    }
}

/// One file's bytes, and what one iteration does with them.
private struct BenchedImage {
    let header: ImageHeader
    private let data: Data
    private let target: ImageTarget?
    /// Memory of images is used again, also that of large ones.
    private let decoder = ImageDecoders.makeDecoder(idleByteLimit: DecodingLimits.default.decodedBytes)

    init(data: Data, target: ImageTarget?) throws(DecodingFailure) {
        self.data = data
        self.target = target
        header = try decoder.header(of: data)
    }

    var size: PixelSize { DecodingRequest(target: target).outputSize(for: header.size) }

    /// Opens the file and decodes all its frames in order, one in memory at a time.
    func decode() throws(DecodingFailure) {
        let reader = try decoder.makeFrameReader(of: data, target: target)
        for frame in 0..<header.frameCount { _ = try reader.frame(at: frame) { false } }
    }
}

/// What `bench decode` tells of a file.
struct DecodingBenchReport: Encodable {
    var file: String
    var format: String
    var width: Int
    var height: Int
    var iterations: Int
    /// Processor milliseconds, user and system of all threads, of the iteration that took least.
    var cpuMs: Double
    /// Wall milliseconds of the iteration that took least.
    var wallMs: Double
    var peakBytes: Int

    init(file: String, header: ImageHeader, size: PixelSize, times: OperationTimes, peakBytes: Int) {
        self.file = file
        format = header.format.rawValue
        width = size.width
        height = size.height
        iterations = times.count
        cpuMs = times.leastProcessor.roundedMilliseconds
        wallMs = times.leastWall.roundedMilliseconds
        self.peakBytes = peakBytes
    }

    static let heading = "format       size  iterations  processor ms      wall ms        peak  file"

    /// One line for people, under `heading`.
    var line: String {
        let numbers = String(format: "%10d  %12.3f %12.3f", iterations, cpuMs, wallMs)
        let peak = ByteCount.text(peakBytes)
        return format.padded(5) + " " + "\(width)x\(height)".leftPadded(11) + "  " + numbers + "  "
            + peak.leftPadded(10) + "  " + file
    }
}

extension Duration {
    /// To the microsecond, so that JSON stays readable.
    fileprivate var roundedMilliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
