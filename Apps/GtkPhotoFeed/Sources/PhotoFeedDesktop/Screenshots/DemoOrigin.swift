internal import FeedOrigin
internal import ImageCore
internal import ImageLoaderKit
internal import LoopbackServer

/// The demo server in this process, on a free port.
final class DemoOrigin {
    /// The base URL, such as `http://127.0.0.1:8080`.
    let address: String
    private let server: LoopbackServer

    /// The images of all servers of this process.
    static let images = ImageStore(concurrency: 2) { recipe throws(ImageEncodingError) in
        try ImageRenderer(encoders: .standard).render(recipe)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - photos: The number of photos in the feed.
    ///   - isNumbered: Whether each image shows its number as a `NumberMark`.
    ///   - images: Draws the images.
    ///   - network: The latency, bandwidth and faults.
    init(
        photos: Int = 500, isNumbered: Bool = false, images: ImageStore = DemoOrigin.images,
        network: NetworkDefaults = NetworkDefaults()
    ) throws {
        let feed = PhotoFeed(count: photos, isNumbered: isNumbered)
        let site = Site(feed: feed, images: images, defaults: network)
        server = try LoopbackServer { site.reply(to: $0) }
        address = "http://127.0.0.1:\(server.port)"
    }

    /// Stops the server. Connections break, and new ones are refused.
    func stop() { server.stop() }
}
