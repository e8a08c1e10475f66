import HTTPTypes

/// Changes every request on its way into another transport: adds a token, signs it.
///
/// Redirects are followed below it: what it adds in `Authorization` or `Cookie` never reaches another origin.
public struct ModifyingTransport: DataTransport {
    /// What to send instead of a request. What it throws is what `send` throws.
    public typealias Modifier = @Sendable (TransportRequest) async throws(TransportFailure) -> TransportRequest
    /// What to send after a request was refused with 401 (RFC 9110, 11.4), with a fresh token perhaps; nil for nothing: then
    /// the refusal is the response. Told the request as it was sent, and the head of the refusal.
    public typealias ChallengeHook =
        @Sendable (TransportRequest, ResponseHead) async throws(TransportFailure) ->
        TransportRequest?

    private let transport: any DataTransport
    private let modify: Modifier
    private let answer: ChallengeHook

    /// - Parameter answer: asked once for each request at most: a second refusal is the response.
    public init(
        _ transport: any DataTransport,
        modify: @escaping Modifier = { request throws(TransportFailure) in request },
        answeringChallenges answer: @escaping ChallengeHook = { _, _ throws(TransportFailure) in nil }
    ) {
        self.transport = transport
        self.modify = modify
        self.answer = answer
    }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let modified = try await modify(request)
        let response = try await transport.send(modified)
        guard response.head.status == .unauthorized, let answered = try await answer(modified, response.head) else {
            return response
        }
        response.body.discard()
        return try await transport.send(answered)
    }
}
