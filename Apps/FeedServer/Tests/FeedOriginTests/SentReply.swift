import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import LoopbackServer
import Testing

@testable import FeedOrigin

/// What a reply sends.
struct SentReply {
    enum Ending { case open, close, reset, stall }

    var head = ""
    var body: [UInt8] = []
    var pauses: [Duration] = []
    var ending = Ending.open

    init(_ reply: LoopbackReply) {
        for step in reply.steps {
            switch step {
            case .text(let text): head += text
            case .bytes(let bytes): body += bytes
            case .pause(let duration): pauses.append(duration)
            case .close: ending = .close
            case .reset: ending = .reset
            case .awaitDisconnect: ending = .stall
            case .wait, .drip: Issue.record("the demo server waits for no signal")
            }
        }
    }

    var status: Int? { Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)) }
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}

extension Site {
    /// A site of 25 photos.
    static func demo(_ defaults: NetworkDefaults = NetworkDefaults()) -> Site {
        Site(
            feed: PhotoFeed(count: 25),
            images: ImageStore(concurrency: 2) { recipe throws(ImageEncodingError) in try renderer.render(recipe) },
            defaults: defaults)
    }

    /// Returns what is sent for a request with these header lines.
    func get(_ target: String, method: String = "GET", _ headers: String...) throws -> SentReply {
        let head = (["\(method) \(target) HTTP/1.1", "Host: h:1"] + headers).joined(separator: "\r\n")
        return SentReply(reply(to: try #require(LoopbackRequest(head: Array(head.utf8)))))
    }
}

/// A renderer with the encoders of the modules.
let renderer = ImageRenderer(encoders: [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()])
