import ImageCore

/// The contents of the server: creates a response for each request. Doesn't use sockets.
public struct Site: Sendable {
    private let feed: PhotoFeed
    private let store: ImageStore
    private let maxAge: Int
    let statistics: Statistics

    /// Creates a site.
    ///
    /// - Parameters:
    ///   - feed: The list of photos.
    ///   - store: The cache of rendered images.
    ///   - maxAge: The freshness lifetime of images, in seconds.
    public init(feed: PhotoFeed, store: ImageStore, maxAge: Int = 3600) {
        self.feed = feed
        self.store = store
        self.maxAge = maxAge
        statistics = Statistics()
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(RequestFailure) {
            switch (request.path, request.method) {
            case ("/stats/reset", "POST"):
                statistics.reset()
                return HTTPResponse(status: 204)
            case ("/stats/reset", _): return Self.notAllowed("POST")
            case (_, let method) where method != "GET" && method != "HEAD": return Self.notAllowed("GET, HEAD")
            case ("/photos", _): return try page(request)
            case ("/stats", _): return .json(statistics.json)
            case ("/", _): return Self.index
            default: return try image(request)
            }
        } catch {
            return .failure(error.status, error.text)
        }
    }

    private static func notAllowed(_ methods: String) -> HTTPResponse {
        var response = HTTPResponse.failure(405, "allowed methods: \(methods)")
        response.headers.append(HTTPRequest.Field("Allow", methods))
        return response
    }

    private func page(_ request: HTTPRequest) throws(RequestFailure) -> HTTPResponse {
        let number = try NetworkConditions.number(request, "_page", 1...Int.max) ?? 1
        let limit =
            try NetworkConditions.number(request, "_limit", 1...PhotoFeed.maximumLimit) ?? PhotoFeed.defaultLimit
        let photos = feed.page(number, limit: limit, origin: "http://" + (request.header("host") ?? "127.0.0.1"))
        let body = "[" + photos.map(\.json).joined(separator: ",\n") + "]"
        // Clients can store the page for offline use, but must revalidate it otherwise.
        let tag = "\"\(String(fingerprint(body.utf8), radix: 16))\""
        let freshness = [HTTPRequest.Field("ETag", tag), HTTPRequest.Field("Cache-Control", "public, max-age=0")]
        if request.header("if-none-match") == tag { return HTTPResponse(status: 304, headers: freshness) }
        return HTTPResponse(
            headers: freshness + [
                HTTPRequest.Field("Content-Type", "application/json; charset=utf-8"),
                HTTPRequest.Field("X-Total-Count", String(feed.count)),
            ], body: Array(body.utf8))
    }

    private func image(_ request: HTTPRequest) throws(RequestFailure) -> HTTPResponse {
        guard let recipe = try ImageRecipe(request) else { return .failure(404, "not found: \(request.path)") }
        do throws(EncodingFailure) {
            return response(try store.image(recipe), for: request)
        } catch {
            return Self.response(error)
        }
    }

    private static func response(_ failure: EncodingFailure) -> HTTPResponse {
        switch failure {
        case .animationUnsupported(let format): .failure(400, "the \(format) encoder does not support animations")
        case .unsupportedSize(let format, let size): .failure(400, "\(format) does not support the size \(size)")
        case .inconsistentFrames: .failure(500, "the frames have different sizes")
        case .failed(let format, let text): .failure(500, "the \(format) encoder failed: \(text)")
        }
    }

    private func response(_ image: RenderedImage, for request: HTTPRequest) -> HTTPResponse {
        let representation = Representation(
            entityTag: image.entityTag, lastModified: image.lastModified, length: image.bytes.count)
        var headers = [
            HTTPRequest.Field("Content-Type", image.contentType), HTTPRequest.Field("ETag", image.entityTag),
            HTTPRequest.Field("Last-Modified", image.lastModified.text),
            HTTPRequest.Field("Cache-Control", "public, max-age=\(maxAge)"),
            HTTPRequest.Field("Accept-Ranges", "bytes"),
        ]
        switch representation.selection(for: request) {
        case .whole: return HTTPResponse(headers: headers, body: image.bytes)
        case .notModified: return HTTPResponse(status: 304, headers: Array(headers[1...3]))
        case .unsatisfiable:
            var response = HTTPResponse.failure(416, "the image has \(image.bytes.count) bytes")
            response.headers.append(HTTPRequest.Field("Content-Range", "bytes */\(image.bytes.count)"))
            return response
        case .part(let range):
            let contentRange = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(image.bytes.count)"
            headers.append(HTTPRequest.Field("Content-Range", contentRange))
            var response = HTTPResponse(status: 206, headers: headers, body: image.bytes)
            response.range = range
            return response
        }
    }

    /// Renders the images of the first photos in advance. Ignores errors, because a request for the image reports them.
    public func prepare(first count: Int) {
        for recipe in feed.recipes(first: count) {
            do throws(EncodingFailure) { _ = try store.image(recipe) } catch { continue }
        }
    }

    private static let index = HTTPResponse(
        headers: [HTTPRequest.Field("Content-Type", "text/plain; charset=utf-8")],
        body: Array(
            """
            FeedServer: a demo origin for image loaders.

            GET  /photos?_page=1&_limit=10
            GET  /images/<id>.<jpg|png|webp|gif>?w=600&h=400[&progressive=1][&alpha=1][&lossless=1][&quality=85]
                 [&animated=1][&frames=12][&numbered=1]
            GET  /stats
            POST /stats/reset
            Parameters of all requests: latency=MS, bandwidth=BYTES_PER_S, status=CODE, times=N,
            fault=reset|truncate|stall|garbage|wrong-length|not-a-image|drop-after=N

            """.utf8))
}
