import ArgumentParser
import Dispatch
import FeedOrigin
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@main
struct FeedServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed-server",
        abstract:
            "Serves a feed of generated photos on loopback, with the latency, bandwidth and faults that you choose."
    )

    @Option(help: "The port on 127.0.0.1. 0 means any free port.")
    var port: UInt16 = 0

    @Option(help: "A file to which the port is written when the server listens.")
    var portFile: String?

    @Option(help: "The delay before each response, in milliseconds.")
    var latency = 0

    @Option(help: "The bandwidth of each response, in bytes per second.")
    var bandwidth: Int?

    @Option(help: "The share of image requests that fail, from 0 to 1.")
    var failureRate = 0.0

    @Option(
        help:
            "A fault of the requests that fail: reset, truncate, stall, garbage, wrong-length, not-a-image, drop-after=N or status=N. Repeatable."
    )
    var fault: [String] = ["status=503", "reset", "truncate"]

    @Option(help: "The seed that determines which requests fail.")
    var seed: UInt64 = 1

    @Option(help: "The number of photos in the feed.")
    var photos = 500

    @Flag(help: "Draws a machine-readable number on each image of the feed.")
    var numbered = false

    @Option(help: "The number of photos whose images are rendered in advance.")
    var warm = 0

    @Option(help: "The freshness lifetime of images, in seconds.")
    var maxAge = 3600

    @Option(help: "The maximum size of the rendered images in memory, in megabytes.")
    var memory = 512

    @Flag(help: "Stops when standard input ends, for example because the parent process has ended.")
    var untilInputEnds = false

    @Option(help: "The maximum number of concurrent connections. Other clients wait.")
    var connections = 512

    func validate() throws {
        guard (0...1).contains(failureRate) else { throw ValidationError("--failure-rate must be from 0 to 1") }
        guard (0...600_000).contains(latency) else { throw ValidationError("--latency must be from 0 to 600000") }
        guard bandwidth ?? 1 > 0 else { throw ValidationError("--bandwidth must be greater than 0") }
        guard photos >= 0, photos <= 1_000_000 else { throw ValidationError("--photos must be from 0 to 1000000") }
        guard (1...60_000).contains(connections) else { throw ValidationError("--connections must be from 1 to 60000") }
        guard memory > 0, memory < 1 << 20 else { throw ValidationError("--memory must be from 1 to 1048575") }
        guard maxAge >= 0, warm >= 0 else { throw ValidationError("--max-age and --warm must not be negative") }
        if let unknown = fault.first(where: { Fault($0) == nil }) {
            throw ValidationError("unknown fault '\(unknown)'")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let shutdown = ShutdownSignal(orEndOfInput: untilInputEnds)
        let site = site()
        let server: FeedServer
        do { server = try FeedServer(serverConfiguration, site: site) } catch {
            printError("feed-server: \(error). If the port is in use, --port 0 chooses a free one")
            throw ExitCode(74)
        }
        if let portFile, !write("\(server.port)\n", toFile: portFile) {
            printError("feed-server: can't write \(portFile)")
            throw ExitCode(74)
        }
        printLine("FeedServer listening on http://127.0.0.1:\(server.port)")
        if warm > 0 { DispatchQueue.global(qos: .utility).async { [warm] in site.prepare(first: warm) } }
        shutdown.wait()
    }

    private var serverConfiguration: FeedServer.Configuration {
        var configuration = FeedServer.Configuration()
        configuration.port = port
        configuration.connectionLimit = connections
        configuration.defaults = NetworkDefaults(
            latency: .milliseconds(latency), bandwidth: bandwidth, failureRate: failureRate,
            faults: fault.compactMap { Fault($0) }, seed: seed)
        return configuration
    }

    private func site() -> Site {
        let renderer = ImageRenderer(encoders: [
            JPEGEncoder(), PNGEncoder(compressionLevel: 3), WebPEncoder(), GIFEncoder(),
        ])
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let store = ImageStore(byteLimit: memory << 20, concurrency: cores) { recipe throws(EncodingFailure) in
            try renderer.render(recipe)
        }
        return Site(feed: PhotoFeed(count: photos, isNumbered: numbered), store: store, maxAge: maxAge)
    }
}
