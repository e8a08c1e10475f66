import HTTPTypes
package import ImageCore

/// Follows the redirects of a request (RFC 9110, 15.4). It does no I/O itself.
///
/// Allows only http and https, never from https to http, at most `maxRedirects`, and no address twice. The first
/// redirect to another server removes credentials and what a modifier has added. A change of the method to GET removes the body and its header fields
/// (Fetch standard, "HTTP-redirect fetch").
public struct RedirectChain: Sendable {
    /// The next request to send.
    package private(set) var request: TransportRequest
    /// The redirects that were followed.
    package private(set) var redirects: [ResponseHead] = []
    private var visited: Set<String> = []
    private var count = 0
    private let isFollowing: Bool

    package init(_ request: TransportRequest) {
        self.request = request
        isFollowing = request.followsRedirects
        self.request.followsRedirects = false
    }

    /// Sends a request and, if `followsRedirects` is true, the requests that it is redirected to.
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - exchange: Sends a request and returns its response without following redirects.
    /// - Throws: `.invalidURL` if the URL isn't http or https, and the errors of `follow(_:)` and `exchange`.
    public static func response(
        to request: TransportRequest,
        exchange: (TransportRequest) async throws -> TransportResponse
    ) async throws(TransportError) -> TransportResponse {
        guard isHTTP(request.url) else { throw .invalidURL(request.url.absoluteString) }
        var chain = RedirectChain(request)
        while true {
            var response = try await Self.response(to: chain.request, from: exchange)
            if try !chain.follow(response.head) {
                response.redirects = chain.redirects
                return response
            }
            response.body.discard()
        }
    }

    private static func response(
        to request: TransportRequest, from exchange: (TransportRequest) async throws -> TransportResponse
    ) async throws(TransportError) -> TransportResponse {
        do { return try await exchange(request) } catch { throw TransportError(error) }
    }

    /// Returns whether a response is a redirect: status 301, 302, 303, 307 or 308 with a Location.
    package static func isRedirect(_ head: ResponseHead) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status.code) && head.headers[.location] != nil
    }

    /// Returns the target of a redirect; nil if its Location can't be parsed as browsers do. The first Location
    /// applies.
    package static func target(of head: ResponseHead, from url: URL) -> URL? {
        guard isRedirect(head), let location = head.headers[fields: .location].first else { return nil }
        return URL(webAddress: location.bytes, relativeTo: url)
    }

    /// Sets `request` to the target of a redirect. Returns false if none is followed.
    ///
    /// - Throws: `.blockedRedirect`, `.redirectLoop`, `.tooManyRedirects` or `.malformedResponse`.
    package mutating func follow(_ head: ResponseHead) throws(TransportError) -> Bool {
        guard isFollowing, Self.isRedirect(head) else { return false }
        guard let url = Self.target(of: head, from: request.url) else {
            throw .malformedResponse("can't parse the Location \(head.headers[.location] ?? "")")
        }
        try check(url)
        count += 1
        guard count <= request.maxRedirects else { throw .tooManyRedirects(request.maxRedirects) }
        visited.insert(Self.address(of: request))
        if url.server != request.url.server { dropCredentials() }
        changeMethod(after: head.status)
        request.url = url
        request.identifier = nil
        redirects.append(head)
        guard visited.insert(Self.address(of: request)).inserted else {
            throw .redirectLoop(request.url.absoluteString)
        }
        return true
    }

    package static func isHTTP(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
    }

    private func check(_ url: URL) throws(TransportError) {
        guard Self.isHTTP(url) else { throw .blockedRedirect("to \(url.absoluteString)") }
        guard url.scheme?.lowercased() == "https" || request.url.scheme?.lowercased() != "https" else {
            throw .blockedRedirect("from https to http: \(url.absoluteString)")
        }
    }

    private mutating func dropCredentials() {
        request.headers = request.headersForOtherServers.take() ?? request.headers
        request.headers[.authorization] = nil
        request.headers[.cookie] = nil
        request.headers[.proxyAuthorization] = nil
    }

    /// Changes the method to GET after 303, and as browsers do, a POST after 301 and 302. 307 and 308 keep the method.
    private mutating func changeMethod(after status: HTTPResponse.Status) {
        let becomesGet =
            switch status.code {
            case 303: request.method != .get && request.method != .head
            case 301, 302: request.method == .post
            default: false
            }
        guard becomesGet else { return }
        request.method = .get
        request.body = nil
        for name in Self.bodyFields { request.headers[name] = nil }
    }

    private static let bodyFields: [HTTPField.Name] = [
        .contentEncoding, .contentLanguage, .contentLength, .contentLocation, .contentType, .transferEncoding,
    ]

    private static func address(of request: TransportRequest) -> String {
        let whole = request.url.absoluteString
        return "\(request.method) \(whole.prefix { $0 != "#" })"
    }
}
