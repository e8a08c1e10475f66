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
            "A demo origin on loopback: a feed of photos that it draws itself, and a network as slow or broken as you like."
    )

    @Option(help: "Port on 127.0.0.1; 0 for any free one.")
    var port: UInt16 = 0

    @Option(help: "A file to write the port to, once the server listens.")
    var portFile: String?

    @Option(help: "Milliseconds before each answer.")
    var latency = 0

    @Option(help: "Bytes per second of each answer.")
    var bandwidth: Int?

    @Option(help: "Share of the image requests that fail, from 0 to 1.")
    var failureRate = 0.0

    @Option(
        help:
            "How they fail, repeatable: reset, truncate, stall, garbage, wrong-length, not-a-image, drop-after=N, status=N."
    )
    var fault: [String] = ["status=503", "reset", "truncate"]

    @Option(help: "Which requests fail depends on it.")
    var seed: UInt64 = 1

    @Option(help: "Photos in the feed.")
    var photos = 500

    @Flag(help: "Each image of the feed shows its number, in squares for machines to read.")
    var numbered = false

    @Option(help: "Photos whose thumbnails and images are drawn before anyone asks.")
    var warm = 0

    @Option(help: "Seconds that clients may keep an image without asking again.")
    var maxAge = 3600

    @Option(help: "Megabytes of finished images to keep.")
    var memory = 512

    @Flag(help: "Ends when its standard input does: with the program that started it, whatever becomes of that.")
    var untilInputEnds = false

    @Option(help: "Connections at a time; more wait.")
    var connections = 512

    func validate() throws {
        guard (0...1).contains(failureRate) else { throw ValidationError("--failure-rate is a share from 0 to 1") }
        guard (0...600_000).contains(latency) else { throw ValidationError("--latency is from 0 to 600000 ms") }
        guard bandwidth ?? 1 > 0 else { throw ValidationError("--bandwidth is a number of bytes per second above 0") }
        guard photos >= 0, photos <= 1_000_000 else { throw ValidationError("--photos is from 0 to 1000000") }
        guard (1...60_000).contains(connections) else { throw ValidationError("--connections is from 1 to 60000") }
        guard memory > 0, memory < 1 << 20 else { throw ValidationError("--memory is a number of megabytes") }
        guard maxAge >= 0, warm >= 0 else { throw ValidationError("--max-age and --warm are not negative") }
        if let unknown = fault.first(where: { Fault($0) == nil }) {
            throw ValidationError("unknown fault '\(unknown)'")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let end = Interruption(orEndOfInput: untilInputEnds)
        let site = site()
        let server: FeedServer
        do { server = try FeedServer(serverConfiguration, site: site) } catch {
            complain("feed-server: \(error); is the port taken? --port 0 takes a free one")
            throw ExitCode(74)
        }
        if let portFile, !write("\(server.port)\n", toFile: portFile) {
            complain("feed-server: can't write \(portFile)")
            throw ExitCode(74)
        }
        say("FeedServer listening on http://127.0.0.1:\(server.port)")
        if warm > 0 { DispatchQueue.global(qos: .utility).async { [warm] in site.prepare(first: warm) } }
        end.wait()
    }

    private var serverConfiguration: FeedServer.Configuration {
        var configuration = FeedServer.Configuration()
        configuration.port = port
        configuration.connectionLimit = connections
        configuration.switches = Switches(
            latency: .milliseconds(latency), bandwidth: bandwidth, failureRate: failureRate,
            faults: fault.compactMap { Fault($0) }, seed: seed)
        return configuration
    }

    private func site() -> Site {
        let studio = ImageRenderer(encoders: [
            JPEGEncoder(), PNGEncoder(compressionLevel: 3), WebPEncoder(), GIFEncoder(),
        ])
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let shelf = ImageStore(byteLimit: memory << 20, concurrency: cores) { recipe throws(EncodingFailure) in
            try studio.make(recipe)
        }
        return Site(feed: PhotoFeed(count: photos, isNumbered: numbered), shelf: shelf, maxAge: maxAge)
    }
}
