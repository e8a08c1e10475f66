import ArgumentParser
import Dispatch
import FeedOrigin
import Foundation
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import LoopbackServer

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

    @Option(help: "The freshness lifetime of images, in seconds.")
    var maxAge = 3600

    func validate() throws {
        guard (0...1).contains(failureRate) else { throw ValidationError("--failure-rate must be from 0 to 1") }
        guard (0...600_000).contains(latency) else { throw ValidationError("--latency must be from 0 to 600000") }
        guard bandwidth ?? 1 > 0 else { throw ValidationError("--bandwidth must be greater than 0") }
        guard photos >= 0, photos <= 1_000_000 else { throw ValidationError("--photos must be from 0 to 1000000") }
        guard maxAge >= 0 else { throw ValidationError("--max-age must not be negative") }
        if let unknown = fault.first(where: { Fault($0) == nil }) {
            throw ValidationError("unknown fault '\(unknown)'")
        }
    }

    func run() throws {
        let site = site()
        let server = try LoopbackServer(port: port) { site.reply(to: $0) }
        if let portFile { try "\(server.port)\n".write(toFile: portFile, atomically: true, encoding: .utf8) }
        print("FeedServer listening on http://127.0.0.1:\(server.port)")
        fflush(nil)
        withExtendedLifetime(server) { dispatchMain() }
    }

    private func site() -> Site {
        let renderer = ImageRenderer(encoders: [
            JPEGEncoder(), PNGEncoder(effort: 3), WebPEncoder(), GIFEncoder(),
        ])
        let images = ImageStore(concurrency: ProcessInfo.processInfo.activeProcessorCount) {
            recipe throws(ImageEncodingError) in
            try renderer.render(recipe)
        }
        let defaults = NetworkDefaults(
            latency: .milliseconds(latency), bandwidth: bandwidth, failureRate: failureRate,
            faults: fault.compactMap { Fault($0) }, seed: seed)
        return Site(
            feed: PhotoFeed(count: photos, isNumbered: numbered), images: images, maxAge: maxAge, defaults: defaults)
    }
}
