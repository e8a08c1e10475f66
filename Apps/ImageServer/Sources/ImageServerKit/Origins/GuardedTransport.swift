import HTTPTypes
import ImageCore
import ImageTransporting

/// Checks each request before it is sent to an origin, including those that redirects lead to, and adds its trace.
///
/// It is below the HTTP cache, which follows redirects one by one. Each hop is checked by its URL here, and by its
/// address in the transport.
struct GuardedTransport: DataTransport {
    /// Sends requests to origins.
    let transport: any DataTransport
    /// Decide about URLs.
    let rules: OriginRules
    /// The value of User-Agent, unless it is that of the client.
    let userAgent: String
    /// The header fields that only some origins receive.
    var forwarding = ForwardedFields()

    /// Sends a request and follows its redirects, if it asks for that. Throws `.blockedRedirect` for a refused URL.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
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
