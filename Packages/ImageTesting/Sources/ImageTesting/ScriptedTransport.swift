public import HTTPTypes
public import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A transport that answers as scripted, keeps a log, and refuses what no script foresees.
///
/// ```swift
/// let transport = ScriptedTransport()
/// let gate = Gate()
/// transport.script(url, .init(body: [.piece(half), .wait(gate), .piece(rest)]))
/// …
/// await transport.sends(1)
/// task.cancel()
/// await transport.cancellations(1)
/// #expect(transport.messages == [.sent(url), .head(url), .cancelled(url)])
/// ```
public final class ScriptedTransport: DataTransport {
    /// One thing that happens, before the head or in the body.
    public enum Step: Sendable {
        case piece(Data)
        case wait(Gate)
        /// Nothing comes for so long by the clock: a `ManualClock`, usually.
        case pause(Duration, on: any Clock<Duration>)
        case fail(TransportFailure)
    }

    /// What one request gets.
    public struct Reply: Sendable {
        /// Before the head; pieces make no sense here and are skipped.
        public var beforeHead: [Step]
        public var status: HTTPResponse.Status
        public var headers: HTTPFields
        /// What the head announces; more or fewer bytes in the body than that is a failure, as with a real transport.
        public var announcedBytes: Int?
        public var body: [Step]

        public init(
            beforeHead: [Step] = [], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
            announcedBytes: Int? = nil, body: [Step] = []
        ) {
            self.beforeHead = beforeHead
            self.status = status
            self.headers = headers
            self.announcedBytes = announcedBytes
            self.body = body
        }

        /// 200 with a whole body and its length.
        public static func ok(_ body: Data, headers: HTTPFields = [:]) -> Reply {
            Reply(headers: headers, announcedBytes: body.count, body: [.piece(body)])
        }

        /// Nothing but a status.
        public static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Reply {
            Reply(status: status, headers: headers, announcedBytes: 0)
        }

        /// A failure instead of a head.
        public static func failure(_ failure: TransportFailure) -> Reply { Reply(beforeHead: [.fail(failure)]) }
    }

    /// What happened, in order. A redirect is a second `sent`.
    public enum Message: Hashable, Sendable {
        case sent(URL)
        case head(URL)
        /// The body was read to its end.
        case finished(URL)
        case failed(URL, TransportFailure)
        /// The consumer's task was cancelled, or the body was dropped before its end.
        case cancelled(URL)
        /// A request that no script foresaw.
        case unscripted(URL)
    }

    private struct State {
        var scripts: [URL: [Reply]] = [:]
        var messages: [Message] = []
        var requests: [TransportRequest] = []
    }

    private let state = Mutex(State())
    private let sent = Arrivals()
    private let cancelled = Arrivals()

    public init() {}

    /// Sets what requests for `url` get, one reply each; the last is repeated.
    public func script(_ url: URL, _ replies: Reply...) { script(url, replies) }

    /// The same, for replies that were made elsewhere.
    public func script(_ url: URL, _ replies: [Reply]) { state.withLock { $0.scripts[url] = replies } }

    /// Everything that happened so far.
    public var messages: [Message] { state.withLock { $0.messages } }
    /// Every request so far, redirects included.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }
    /// How many requests were sent, redirects included.
    public var sendCount: Int { sent.count }
    /// How many transfers their consumer ended before their end.
    public var cancellationCount: Int { cancelled.count }
    /// Returns when `count` requests have been sent since the beginning.
    public func sends(_ count: Int) async { await sent.reach(count) }
    /// Returns when `count` transfers have been ended by their consumer since the beginning.
    public func cancellations(_ count: Int) async { await cancelled.reach(count) }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try await RedirectTrail.response(to: request) { hop throws(TransportFailure) in
            try await ScriptedTransfer(reply: try take(hop), request: hop, owner: self).response()
        }
    }

    func record(_ message: Message) {
        state.withLock { $0.messages.append(message) }
        if case .cancelled = message { cancelled.add() }
    }

    private func take(_ request: TransportRequest) throws(TransportFailure) -> Reply {
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
        sent.add()
        guard let reply else { throw .other("unscripted request: \(request.url.absoluteString)") }
        return reply
    }
}
