import CTransportFloor
import Foundation

/// Processor time of one request over HTTP/1.1 to loopback, beside that of the curl tool in the same rounds.
struct TransportComparison: Encodable {
    var client: String
    /// Microseconds of all threads; of all rounds.
    var least: Double
    var median: Double
    /// To the least of the curl tool.
    var ratio: Double
    /// The median of the ratios of single rounds.
    var medianRatio: Double
    /// What the ratios should be at most; nil for the others.
    var goal: Double?

    static let heading =
        "1,000 bodies of 50 kB, 6 connections".padding(toLength: 42, withPad: " ", startingAt: 0)
        + "       least     median     to curl's   median       goal"

    var line: String {
        client.padding(toLength: 42, withPad: " ", startingAt: 0)
            + String(format: "%9.1f us  %8.1f us  %8.2f   %8.2f", least, median, ratio, medianRatio)
            + (goal.map { String(format: "   <= %g %@", $0, medianRatio <= $0 ? "met" : "NOT met") } ?? "")
    }
}

/// Bodies of 50 kB from an origin in another process: new connections for each thousand, kept alive, six at a time.
enum TransportBenchmarks {
    private static let rounds = 15
    private static let requestCount = 1_000
    private static let goal = 2.0

    @concurrent
    static func run() async throws -> [TransportComparison] {
        try await withTemporaryFolder { folder in
            let origin = try LoopbackOrigin()
            let contenders: [any TransportContender] = [
                try CurlToolContender(folder: folder, port: origin.port), CurlTransportContender(port: origin.port),
                LibcurlContender(port: origin.port), URLSessionContender(port: origin.port),
            ]
            var times: [[Double]] = contenders.map { _ in [] }
            for contender in contenders { _ = try await contender.fetch(100) }
            for _ in 0..<rounds {
                for (index, contender) in contenders.enumerated() {
                    times[index].append(try await contender.fetch(requestCount) / Double(requestCount))
                }
            }
            return zip(contenders, times).map { compared($0.name, $0.isOurs, $1, to: times[0]) }
        }
    }

    private static func compared(
        _ name: String, _ isOurs: Bool, _ times: [Double], to tool: [Double]
    ) -> TransportComparison {
        let least = times.min() ?? 0
        return TransportComparison(
            client: name, least: least, median: median(times), ratio: least / (tool.min() ?? 0),
            medianRatio: median(zip(times, tool).map { $0 / $1 }), goal: isOurs ? goal : nil)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// A process that serves bodies on loopback; it ends with this object, and with the process that made it.
final class LoopbackOrigin {
    /// The command by which this program is that process.
    static let command = "loopback-origin"
    private static let bodyBytes = 50_000

    let port: Int
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [Self.command]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            throw ContenderFailure(text: "the origin does not start")
        }
        self.port = port
    }

    deinit {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    static func serve() {
        var port: Int32 = 0
        let listener = unsafe floor_origin_listen(&port)
        guard listener >= 0 else { return }
        print(port)
        fflush(nil)
        floor_origin_serve(listener, bodyBytes)
    }

    static func check(_ byteCount: Int, of count: Int) throws {
        guard byteCount == count * bodyBytes else {
            throw ContenderFailure(text: "\(byteCount) bytes of \(count) bodies")
        }
    }
}
