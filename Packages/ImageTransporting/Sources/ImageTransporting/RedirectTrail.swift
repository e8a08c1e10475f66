import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The redirects of one request so far, and the rules for the next one (RFC 9110, 15.4). Pure.
///
/// Every hop is checked: http and https alone, never from https to http, at most `maxRedirects`, no address twice.
/// `Authorization`, `Cookie` and `Proxy-Authorization` are dropped for good at the first hop to another origin, the body and
/// what describes it where the method becomes GET (Fetch standard, HTTP-redirect fetch).
public struct RedirectTrail: Sendable {
    /// What is to be sent now. It follows no redirects by itself.
    public private(set) var request: TransportRequest
    /// Empty until the first redirect.
    private var visited: Set<String> = []
    private var count = 0

    public init(_ request: TransportRequest) {
        self.request = request
        self.request.followsRedirects = false
    }

    /// Sends a request over http or https and, if it says so, whatever it is redirected to, each by one `exchange`.
    ///
    /// - Parameter exchange: sends a request and returns at the head of its response, whatever that is.
    public static func response(
        to request: TransportRequest,
        exchange: (TransportRequest) async throws(TransportFailure) -> TransportResponse
    ) async throws(TransportFailure) -> TransportResponse {
        guard isHTTP(request.url) else { throw .invalidURL(request.url.absoluteString) }
        var trail = RedirectTrail(request)
        while true {
            let response = try await exchange(trail.request)
            guard request.followsRedirects, try trail.follow(response.head) else { return response }
            response.body.discard()
        }
    }

    /// Whether this status, with a Location, sends the client elsewhere.
    public static func isRedirect(_ head: ResponseHead) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status.code) && head.headers[.location] != nil
    }

    /// Moves to the next hop: `request` is then what to send. False when `head` is final.
    public mutating func follow(_ head: ResponseHead) throws(TransportFailure) -> Bool {
        guard Self.isRedirect(head), let location = head.headers[.location] else { return false }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw .malformedResponse("can't read the Location \(location)")
        }
        try check(url)
        count += 1
        guard count <= request.maxRedirects else { throw .tooManyRedirects(request.maxRedirects) }
        visited.insert(Self.address(of: request))
        if Self.origin(of: url) != Self.origin(of: request.url) { dropCredentials() }
        changeMethod(after: head.status)
        request.url = keepingFragment(url)
        guard visited.insert(Self.address(of: request)).inserted else {
            throw .redirectLoop(request.url.absoluteString)
        }
        return true
    }

    private static func isHTTP(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
    }

    private func check(_ url: URL) throws(TransportFailure) {
        guard Self.isHTTP(url) else { throw .blockedRedirect("to \(url.absoluteString)") }
        guard url.scheme?.lowercased() == "https" || request.url.scheme?.lowercased() != "https" else {
            throw .blockedRedirect("from https to http: \(url.absoluteString)")
        }
    }

    private mutating func dropCredentials() {
        request.headers[.authorization] = nil
        request.headers[.cookie] = nil
        request.headers[.proxyAuthorization] = nil
    }

    /// A fragment is inherited when the Location has none (RFC 9110, 10.2.2).
    private func keepingFragment(_ url: URL) -> URL {
        guard url.fragment() == nil, let fragment = request.url.fragment(percentEncoded: true) else { return url }
        return URL(string: "\(url.absoluteString)#\(fragment)") ?? url
    }

    /// 303 asks for a GET; 301 and 302 turn POST into GET, as every browser does; 307 and 308 keep the method.
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

    /// Scheme, host and port, in lower case.
    package static func origin(of url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(url.host()?.lowercased() ?? ""):\(port)"
    }

    private static func address(of request: TransportRequest) -> String {
        let whole = request.url.absoluteString
        return "\(request.method) \(whole.prefix { $0 != "#" })"
    }
}
