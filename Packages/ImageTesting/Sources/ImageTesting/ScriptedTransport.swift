public import HTTPTypes
public import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A transport that returns scripted replies and logs its requests. Requests without a script fail.
///
/// ```swift
/// let transport = ScriptedTransport()
/// let gate = TestGate()
/// transport.script(url, .init(body: [.piece(half), .wait(gate), .piece(rest)]))
/// …
/// await transport.waitForSends(1)
/// task.cancel()
/// await transport.waitForCancellations(1)
/// #expect(transport.messages == [.sent(url), .head(url), .cancelled(url)])
/// ```
public final class ScriptedTransport: DataTransport {
    /// An event before the head or in the body of a reply.
    public enum Step: Sendable {
        /// A piece of the body arrives.
        case piece(Data)
        /// The reply waits at a gate.
        case wait(TestGate)
        /// The reply pauses for a duration of a clock, such as a `ManualClock`.
        case pause(Duration, on: any Clock<Duration>)
        /// The transfer fails.
        case fail(TransportError)
    }

    /// The reply to a request.
    public struct Reply: Sendable {
        /// The steps before the head. Pieces are skipped here.
        public var beforeHead: [Step]
        /// The status of the response.
        public var status: HTTPResponse.Status
        /// The header fields of the response.
        public var headers: HTTPFields
        /// The announced length of the body. A body of another length fails, as with a real transport.
        public var announcedByteCount: Int?
        /// The steps of the body.
        public var body: [Step]

        /// Creates a reply. By default, it has the status 200, no announced length and an empty body.
        public init(
            beforeHead: [Step] = [], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
            announcedByteCount: Int? = nil, body: [Step] = []
        ) {
            self.beforeHead = beforeHead
            self.status = status
            self.headers = headers
            self.announcedByteCount = announcedByteCount
            self.body = body
        }

        /// Returns a reply with the status 200, a body and its length.
        public static func ok(_ body: Data, headers: HTTPFields = [:]) -> Reply {
            Reply(headers: headers, announcedByteCount: body.count, body: [.piece(body)])
        }

        /// Returns a reply with a status and an empty body.
        public static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Reply {
            Reply(status: status, headers: headers, announcedByteCount: 0)
        }

        /// A refused connection, which fails with `TransportError.connectionFailed`.
        public static var refused: Reply { .failure(.connectionFailed("connection refused")) }

        /// Returns a reply that fails before the head.
        public static func failure(_ failure: TransportError) -> Reply { Reply(beforeHead: [.fail(failure)]) }
    }

    /// An event of a transfer. A redirect is another `sent`.
    public enum Message: Hashable, Sendable {
        /// The request was sent.
        case sent(URL)
        /// The head of the response was returned.
        case head(URL)
        /// The body was read to its end.
        case finished(URL)
        /// The transfer failed.
        case failed(URL, TransportError)
        /// The caller's task was cancelled, or the body was released before its end.
        case cancelled(URL)
        /// The request has no script.
        case unscripted(URL)
    }

    private struct State {
        var scripts: [URL: [Reply]] = [:]
        var messages: [Message] = []
        var requests: [TransportRequest] = []
    }

    private let state = Mutex(State())
    private let sent = Watched(0)
    private let cancelled = Watched(0)

    /// Creates a transport without scripts.
    public init() {}

    /// Sets the replies to requests for `url`, one for each request. The last one is repeated.
    public func script(_ url: URL, _ replies: Reply...) { script(url, replies) }

    /// Sets the replies to requests for `url` as an array. The last one is repeated.
    public func script(_ url: URL, _ replies: [Reply]) { state.withLock { $0.scripts[url] = replies } }

    /// All events so far, in order.
    public var messages: [Message] { state.withLock { $0.messages } }
    /// All requests so far, including redirects.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }
    /// The number of requests so far, including redirects.
    public var sendCount: Int { sent.value }
    /// The number of transfers that were cancelled or released before their end.
    public var cancellationCount: Int { cancelled.value }
    /// Waits until `count` requests were sent in total, or until the task is cancelled.
    public func waitForSends(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await sent.waitUntil({ $0 >= count }, file: file, line: line)
    }
    /// Waits until `count` transfers were cancelled in total, or until the task is cancelled.
    public func waitForCancellations(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await cancelled.waitUntil({ $0 >= count }, file: file, line: line)
    }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await RedirectChain.response(to: request) { hop throws(TransportError) in
            try await ScriptedTransfer(reply: try take(hop), request: hop, owner: self).response()
        }
    }

    func record(_ message: Message) {
        state.withLock { $0.messages.append(message) }
        if case .cancelled = message { cancelled.change { $0 += 1 } }
    }

    private func take(_ request: TransportRequest) throws(TransportError) -> Reply {
        let reply = state.withLock { state -> Reply? in
            state.requests.append(request)
            state.messages.append(.sent(request.url))
            guard var replies = state.scripts[request.url], let first = replies.first else {
                state.messages.append(.unscripted(request.url))
                return nil
            }
            if replies.count > 1 { replies.removeFirst() }
            state.scripts[request.url] = replies
            return first
        }
        sent.change { $0 += 1 }
        guard let reply else { throw .other("unscripted request: \(request.url.absoluteString)") }
        return reply
    }
}
