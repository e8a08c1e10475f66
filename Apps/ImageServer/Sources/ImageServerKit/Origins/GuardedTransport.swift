import HTTPTypes
import ImageCore
public import ImageTransporting

/// Checks each request before it is sent to an origin, including those that redirects lead to, and adds its trace.
///
/// It is below the HTTP cache, which follows redirects one by one. Each hop is checked by its URL here, and by its
/// address in the transport.
public struct GuardedTransport: DataTransport {
    private let transport: any DataTransport
    private let rules: OriginRules
    private let userAgent: String
    private let forwarding: ForwardedFields

    /// - Parameters:
    ///   - transport: Sends requests to origins.
    ///   - rules: Decide about URLs.
    ///   - userAgent: The value of User-Agent, unless it is that of the client.
    ///   - forwarding: The header fields that only some origins receive.
    public init(
        _ transport: any DataTransport, rules: OriginRules, userAgent: String,
        forwarding: ForwardedFields = ForwardedFields()
    ) {
        self.transport = transport
        self.rules = rules
        self.userAgent = userAgent
        self.forwarding = forwarding
    }

    /// Sends a request and follows its redirects, if it asks for that. Throws `.blockedRedirect` for a refused URL.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await RedirectChain.response(to: request) { hop throws(TransportError) in
            do throws(OriginRefusal) {
                try rules.check(hop.url)
            } catch {
                throw .blockedRedirect("\(error)")
            }
            return try await answer(to: identified(hop))
        }
    }

    /// A host at a refused address fails like one that doesn't exist, so that no client learns which hosts do.
    private func answer(to request: TransportRequest) async throws(TransportError) -> TransportResponse {
        do {
            return try await transport.send(request)
        } catch .blockedAddress(let text) {
            throw .unresolvedHost("blocked address: \(text)")
        }
    }

    private func identified(_ request: TransportRequest) -> TransportRequest {
        var request = request
        if !forwarding.reaches(request.url) { forwarding.remove(from: &request.headers) }
        forwarding.restoreBytes(in: &request.headers)
        request.headers[OriginalClient.identityField] = nil
        request.userInfo[.trace, as: TraceContext.self]?.set(in: &request.headers)
        if request.headers[.userAgent] == nil { request.headers[.userAgent] = userAgent }
        return request
    }
}
