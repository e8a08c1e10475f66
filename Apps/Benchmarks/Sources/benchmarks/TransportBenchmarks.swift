import CTransportFloor
import Foundation

/// The processor time of an HTTP/1.1 request to loopback, compared with the curl tool in the same rounds.
struct TransportComparison: Encodable {
    var client: String
    /// The processor time of all threads in microseconds, over all rounds.
    var least: Double
    var median: Double
    /// The ratio of `least` to that of the curl tool.
    var ratio: Double
    /// The median of the ratios of the rounds.
    var medianRatio: Double
    /// The upper limit of the ratios, or `nil` if there is no goal.
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

/// Fetches bodies of 50 kB from an origin in another process, with six persistent connections per 1,000 requests.
enum TransportBenchmarks {
    private static let rounds = 15
    private static let requestCount = 1_000
    private static let goal = 1.3

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

/// A child process that serves bodies on loopback. It ends with this object or with the parent process.
final class LoopbackOrigin {
    /// The argument that makes this program run as the origin.
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
            throw ContenderFailure(text: "the origin didn't start")
        }
        self.port = port
    }

    deinit {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    /// Serves bodies until standard input ends. Prints the port.
    static func serve() {
        var port: Int32 = 0
        let listener = unsafe floor_origin_listen(&port)
        guard listener >= 0 else { return }
        print(port)
        fflush(nil)
        floor_origin_serve(listener, bodyBytes)
    }

    /// Throws if the number of received bytes is wrong.
    static func check(_ byteCount: Int, of count: Int) throws {
        guard byteCount == count * bodyBytes else {
            throw ContenderFailure(text: "received \(byteCount) bytes of \(count) bodies")
        }
    }
}
