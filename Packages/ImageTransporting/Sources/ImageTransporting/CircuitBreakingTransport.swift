import HTTPTypes
public import ImageCore
import Synchronization

/// Sends no requests to a server for a while after several consecutive failures.
///
/// A server is a scheme, host and port. It fails if there is no response, one with status 502, 503 or 504, or an
/// incomplete body. Cancelled requests and failures without a network don't count. Put this transport behind a cache.
public struct CircuitBreakingTransport: DataTransport {
    private let transport: any DataTransport
    private let countsResponses: Bool
    private let breakers: ServerBreakers
    private let uptime: @Sendable () -> Duration
    private let observation: ChangeObservation?

    /// Creates a transport with a circuit breaker for each server.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - threshold: The number of consecutive failures, at least 1, after which a server gets no requests.
    ///   - pause: The time for which it gets none. Then a single request tests the server.
    ///   - countsResponses: Whether a server also fails if it can be reached. False if a server has images of several
    ///     sites, of which one must not stop the others: then only failures to connect count.
    ///   - clock: The clock for the pause.
    ///   - connectivityMonitor: When it reports that the network returns, all servers get requests again, and idle
    ///     connections are closed.
    public init(
        _ transport: any DataTransport, threshold: Int = 10, pause: Duration = .seconds(5),
        countsResponses: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
        connectivityMonitor: (any ConditionMonitor<Connectivity>)? = nil
    ) {
        self.transport = transport
        self.countsResponses = countsResponses
        uptime = stopwatch(clock)
        let breakers = ServerBreakers(
            CircuitBreaker(threshold: threshold, pause: pause), uptime: uptime, connectivityMonitor,
            onReturn: { transport.closeIdleConnections() })
        self.breakers = breakers
        observation = connectivityMonitor?.observe { breakers.connectivityChanged(to: $0) }
    }

    /// The number of servers that get no requests now, or a single one as a test.
    public var unavailableServerCount: Int { breakers.openCount }

    /// Closes the idle connections of the transport below.
    public func closeIdleConnections() { transport.closeIdleConnections() }

    /// Throws `.serverUnavailable` without sending the request, if too many requests to the server have just failed.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let start = uptime()
        return try await RedirectChain.response(to: request) { hop throws(TransportError) in
            var hop = hop
            hop.totalTimeout = request.totalTimeout.map { $0.limited - (uptime() - start) }
            return try await exchange(hop)
        }
    }

    private func exchange(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let exchange = try breakers.admit(request.url.server)
        do throws(TransportError) {
            let response = try await transport.send(request)
            return countsResponses ? exchange.observing(response) : exchange.reached(response)
        } catch {
            exchange.failed(error, countsResponses: countsResponses)
            throw error
        }
    }
}

/// The circuit breakers of the servers that have failed, up to a limit: those that refuse requests are kept longest.
private final class ServerBreakers: Sendable {
    private static let maxBreakers = 1_000

    private struct State {
        var breakers: [String: CircuitBreaker] = [:]
        var isOffline = false
        /// The number of returns of the network. Earlier exchanges don't count.
        var returns = 0

        mutating func shrink(to limit: Int, now: Duration) {
            guard breakers.count > limit else { return }
            breakers = breakers.filter { $0.value.refuses(now: now) }
            while breakers.count > limit { _ = breakers.popFirst() }
        }
    }

    private let state = Mutex(State())
    private let fresh: CircuitBreaker
    private let uptime: @Sendable () -> Duration
    private let connectivityMonitor: (any ConditionMonitor<Connectivity>)?
    private let onReturn: @Sendable () -> Void

    init(
        _ fresh: CircuitBreaker, uptime: @escaping @Sendable () -> Duration,
        _ connectivityMonitor: (any ConditionMonitor<Connectivity>)?, onReturn: @escaping @Sendable () -> Void
    ) {
        self.onReturn = onReturn
        self.fresh = fresh
        self.uptime = uptime
        self.connectivityMonitor = connectivityMonitor
    }

    var openCount: Int { state.withLock { $0.breakers.values.count { !$0.isClosed } } }

    func connectivityChanged(to connectivity: Connectivity) {
        let isReturn = state.withLock { state in
            defer { state.isOffline = connectivity == .offline }
            guard state.isOffline, connectivity == .online else { return false }
            state.breakers = [:]
            state.returns += 1
            return true
        }
        if isReturn { onReturn() }
    }

    func admit(_ server: String) throws(TransportError) -> ObservedExchange {
        readConnectivity()
        let now = uptime()
        let (admission, returns) = state.withLock { state in
            (state.breakers[server]?.admit(now: now) ?? .admitted, state.returns)
        }
        guard admission != .refused else { throw .serverUnavailable("\(server) failed too often recently") }
        return ObservedExchange(server, isProbe: admission == .probe, returns: returns, breakers: self)
    }

    func answered(_ exchange: ObservedExchange) {
        if exchange.isProbe { change(exchange, now: uptime()) { breaker, _ in breaker.probeAnswered() } }
    }

    func ended(_ exchange: ObservedExchange, _ verdict: CircuitBreaker.Verdict) {
        readConnectivity()
        let now = uptime()
        change(exchange, now: now) { breaker, isOffline in
            breaker.ended(isOffline && verdict == .down ? .unknown : verdict, isProbe: exchange.isProbe, now: now)
        }
    }

    private func change(
        _ exchange: ObservedExchange, now: Duration, _ body: (inout CircuitBreaker, _ isOffline: Bool) -> Void
    ) {
        state.withLock { state in
            guard exchange.returns == state.returns else { return }
            var breaker = state.breakers[exchange.server] ?? fresh
            body(&breaker, state.isOffline)
            state.breakers[exchange.server] = breaker.isPristine ? nil : breaker
            state.shrink(to: Self.maxBreakers, now: now)
        }
    }

    /// The monitor may report a change to others first.
    private func readConnectivity() {
        if let connectivityMonitor { connectivityChanged(to: connectivityMonitor.condition) }
    }
}

/// A request to a server and its response. Reports once how it ended.
private final class ObservedExchange: Sendable {
    let server: String
    let isProbe: Bool
    /// The number of returns of the network when it began.
    let returns: Int
    private let breakers: ServerBreakers
    private let hasEnded = Atomic(false)

    init(_ server: String, isProbe: Bool, returns: Int, breakers: ServerBreakers) {
        self.server = server
        self.isProbe = isProbe
        self.returns = returns
        self.breakers = breakers
    }

    func failed(_ failure: TransportError, countsResponses: Bool = true) {
        ended(Task.isCancelled ? .unknown : failure.verdict(countsResponses: countsResponses))
    }

    /// Returns the response of a server for which only failures to connect count.
    func reached(_ response: TransportResponse) -> TransportResponse {
        ended(.up)
        return response
    }

    /// Returns the response with a body that reports its end.
    func observing(_ response: TransportResponse) -> TransportResponse {
        if [502, 503, 504].contains(response.head.status.code) {
            ended(.down)
            return response
        }
        breakers.answered(self)
        if response.head.expectedByteCount == 0 { ended(.up) }
        var observed = response
        observed.body = TransportBody(
            pull: { () async throws(TransportError) in try await self.next(of: response.body) },
            discard: {
                self.ended(.up)
                response.body.discard()
            },
            abandon: { self.ended(.unknown) })
        return observed
    }

    private func next(of body: TransportBody) async throws(TransportError) -> Data? {
        do throws(TransportError) {
            var iterator = body.makeAsyncIterator()
            let piece = try await iterator.next()
            if piece == nil { ended(.up) }
            return piece
        } catch {
            failed(error)
            throw error
        }
    }

    private func ended(_ verdict: CircuitBreaker.Verdict) {
        if !hasEnded.exchange(true, ordering: .relaxed) { breakers.ended(self, verdict) }
    }
}

extension TransportError {
    fileprivate func verdict(countsResponses: Bool) -> CircuitBreaker.Verdict {
        switch self {
        case .unresolvedHost, .connectionFailed, .timedOut(.connect): .down
        case .connectionLost, .closedEarly, .timedOut: countsResponses ? .down : .unknown
        default: .unknown
        }
    }
}
