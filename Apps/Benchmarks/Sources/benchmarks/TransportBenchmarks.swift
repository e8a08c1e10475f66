import CTransportFloor
import Foundation

/// Fetches bodies of 50 kB from an origin in another process, with six persistent connections per 1,000 requests.
///
/// Times are the processor time of all threads per request, the median of all rounds. The ratio is the median of the
/// rounds' ratios to the curl tool.
enum TransportBenchmarks {
    private static let rounds = 15
    private static let requestCount = 1_000

    @concurrent
    static func run() async throws -> [Figure] {
        try await withTemporaryFolder { folder in
            let origin = try LoopbackOrigin()
            let contenders: [any TransportContender] = [
                try CurlToolContender(folder: folder, port: origin.port), CurlTransportContender(port: origin.port),
                URLSessionContender(port: origin.port),
            ]
            var times: [[Double]] = contenders.map { _ in [] }
            for contender in contenders { _ = try await contender.fetch(100) }
            for _ in 0..<rounds {
                for (index, contender) in contenders.enumerated() {
                    times[index].append(try await contender.fetch(requestCount) / Double(requestCount))
                }
            }
            return zip(contenders, times).map { contender, own in
                Figure(
                    name: contender.name, value: median(own), unit: "µs",
                    ratio: median(zip(own, times[0]).map { $0 / $1 }), goal: contender.goal)
            }
        }
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

    /// Serves bodies until standard input ends. Prints the port. Returns false if it can't listen.
    static func serve() -> Bool {
        var port: Int32 = 0
        let listener = unsafe floor_origin_listen(&port)
        guard listener >= 0 else { return false }
        print(port)
        fflush(nil)
        floor_origin_serve(listener, bodyBytes)
        return true
    }

    /// Throws if the number of received bytes is wrong.
    static func check(_ byteCount: Int, of count: Int) throws {
        guard byteCount == count * bodyBytes else {
            throw ContenderFailure(text: "received \(byteCount) bytes of \(count) bodies")
        }
    }
}
