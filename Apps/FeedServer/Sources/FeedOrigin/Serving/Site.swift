import ImageCore
import ImageTransporting
public import LoopbackServer
import Synchronization

/// The contents of the server: creates a reply for each request.
public final class Site: Sendable {
    private let feed: PhotoFeed
    private let images: ImageStore
    private let maxAge: Int
    private let defaults: NetworkDefaults
    /// The number of requests for each of the first 10,000 targets.
    private let attempts = Mutex<[String: Int]>([:])

    /// Creates a site.
    ///
    /// - Parameters:
    ///   - feed: The list of photos.
    ///   - images: The images.
    ///   - maxAge: The freshness lifetime of images, in seconds.
    ///   - defaults: The latency, bandwidth and faults of requests that don't specify their own.
    public init(feed: PhotoFeed, images: ImageStore, maxAge: Int = 3600, defaults: NetworkDefaults = NetworkDefaults())
    {
        self.feed = feed
        self.images = images
        self.maxAge = maxAge
        self.defaults = defaults
    }

    /// Returns the reply to a request. Blocks the thread while an image is drawn.
    public func reply(to request: LoopbackRequest) -> LoopbackReply {
        do {
            let target = try Target(request.target)
            let conditions = try conditions(of: request, target)
            var response = try response(to: request, target)
            response.headers["Date"] = HTTPDate.format(Date())
            if !request.keepsAlive { response.headers["Connection"] = "close" }
            guard request.method == "HEAD" else { return conditions.reply(sending: response) }
            return .steps([.text(response.head)])
        } catch let error as BadRequest {
            return .steps(LoopbackResponse.failure(400, error.text).steps())
        } catch {
            return .steps(LoopbackResponse.failure(500, "\(error)").steps())
        }
    }

    private func conditions(of request: LoopbackRequest, _ target: Target) throws(BadRequest) -> NetworkConditions {
        let attempt = attempts.withLock { attempts in
            let attempt = attempts[request.target, default: 0] + 1
            if attempt > 1 || attempts.count < 10_000 { attempts[request.target] = attempt }
            return attempt
        }
        let isImage = target.path.hasPrefix("/images/")
        return try NetworkConditions(
            target, defaults: defaults,
            randomFault: isImage ? defaults.failure(target: request.target, attempt: attempt) : nil, attempt: attempt)
    }

    private func response(to request: LoopbackRequest, _ target: Target) throws -> LoopbackResponse {
        guard ["GET", "HEAD"].contains(request.method) else {
            return .failure(405, "allowed methods: GET, HEAD", headers: ["Allow": "GET, HEAD"])
        }
        switch target.path {
        case "/": return LoopbackResponse(headers: ["Content-Type": "text/plain"], body: Array(Self.usage.utf8))
        case "/photos": return try page(request, target)
        default:
            guard let recipe = try ImageRecipe(target) else { return .failure(404, "not found: \(target.path)") }
            let image = try images.image(recipe)
            return validated(
                request, tag: image.entityTag, ["Content-Type": recipe.contentType, "Accept-Ranges": "bytes"],
                maxAge: maxAge, image.bytes)
        }
    }

    private func page(_ request: LoopbackRequest, _ target: Target) throws -> LoopbackResponse {
        let number = try target.number("_page", 1...Int.max) ?? 1
        let limit = try target.number("_limit", 1...PhotoFeed.maximumLimit) ?? PhotoFeed.defaultLimit
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let photos = feed.page(number, limit: limit, origin: "http://" + (request.headers["host"] ?? "127.0.0.1"))
        let body = [UInt8](try encoder.encode(photos))
        // Clients can store the page for offline use, but must revalidate it otherwise.
        let tag = "\"\(String(fingerprint(body), radix: 16))\""
        return validated(
            request, tag: tag, ["Content-Type": "application/json", "X-Total-Count": "\(feed.count)"], maxAge: 0, body)
    }

    /// Returns 304 if the client has the body already, or else the body or the part that the client asks for.
    private func validated(
        _ request: LoopbackRequest, tag: String, _ headers: [String: String], maxAge: Int, _ body: [UInt8]
    ) -> LoopbackResponse {
        let freshness = ["ETag": tag, "Cache-Control": "public, max-age=\(maxAge)"]
        let known = request.headers["if-none-match"] ?? ""
        if known == "*" || known.contains(tag) { return LoopbackResponse(status: 304, headers: freshness) }
        return .resumable(body, tag: tag, headers: headers.merging(freshness) { $1 }, to: request)
    }

    private static let usage = """
        FeedServer: a demo origin for image loaders.

        GET  /photos?_page=1&_limit=10
        GET  /images/<id>.<jpg|png|webp|gif>?w=600&h=400[&progressive=1][&alpha=1][&lossless=1][&quality=85]
             [&animated=1][&frames=12][&numbered=1]
        Parameters of all requests: latency=MS, bandwidth=BYTES_PER_S, status=CODE, times=N,
        fault=reset|truncate|stall|garbage|wrong-length|not-a-image|drop-after=N

        """
}
