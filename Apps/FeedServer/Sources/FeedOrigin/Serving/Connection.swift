/// Serves a client until it disconnects, sends an invalid request, or the server stops. Blocks its thread.
struct Connection {
    let socket: Socket
    let site: Site
    let defaults: NetworkDefaults
    let clock: any ServerClock
    let limits: ConnectionLimits

    enum Ending { case orderly, reset }

    private enum Next { case keepOpen, close, reset }

    /// Serves the client. Returns how the caller must close the socket.
    func serve() -> Ending {
        socket.setTimeouts(receive: limits.receive, send: limits.send)
        guard handleRequests() == .close else { return .reset }
        socket.finish()
        return .orderly
    }

    private func handleRequests() -> Next {
        var parser = RequestParser()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var receives = 0
        while true {
            do throws(RequestFailure) {
                while let request = try parser.next() {
                    receives = 0
                    let next = respond(to: request)
                    if next != .keepOpen { return next }
                }
            } catch {
                reject(error)
                return .close
            }
            receives += parser.isWithinRequest ? 1 : 0
            guard receives < limits.receivesPerHead, let count = socket.receive(into: &buffer), count > 0 else {
                if parser.isWithinRequest { reject(status: 408, "the request is incomplete") }
                return .close
            }
            parser.append(buffer[..<count])
        }
    }

    private func respond(to request: HTTPRequest) -> Next {
        let isForStatistics = request.path == "/stats" || request.path == "/stats/reset"
        let attempt = isForStatistics ? 1 : site.statistics.recordRequest(request)
        let defaults = isForStatistics ? NetworkDefaults() : defaults
        let conditions: NetworkConditions
        do throws(RequestFailure) {
            conditions = try NetworkConditions(request, attempt: attempt, defaults: defaults)
        } catch {
            return perform(delivery(.failure(error.status, error.text), NetworkConditions(), request))
        }
        let response = site.respond(to: request)
        return perform(delivery(response, conditions, request), isCounted: !isForStatistics)
    }

    private func delivery(_ response: HTTPResponse, _ conditions: NetworkConditions, _ request: HTTPRequest) -> Delivery
    {
        Delivery(
            response, conditions: conditions, date: clock.date.text, keepsAlive: request.keepsAlive,
            isHead: request.method == "HEAD")
    }

    private func reject(_ failure: RequestFailure) { reject(status: failure.status, failure.text) }

    private func reject(status: Int, _ text: String) {
        let delivery = Delivery(
            .failure(status, text), conditions: NetworkConditions(), date: clock.date.text, keepsAlive: false,
            isHead: false)
        _ = perform(delivery)
    }

    private func perform(_ delivery: Delivery, isCounted: Bool = true) -> Next {
        var bytes = 0
        var isAbandoned = false
        for step in delivery.steps where !isAbandoned { isAbandoned = !perform(step, bytes: &bytes) }
        if isCounted { site.statistics.recordResponse(status: delivery.status, bytes: bytes, isAbandoned: isAbandoned) }
        if isAbandoned { return .close }
        return switch delivery.ending {
        case .keepAlive: .keepOpen
        case .close: .close
        case .reset: .reset
        }
    }

    /// Performs a step. Returns false if the client has disconnected.
    private func perform(_ step: Delivery.Step, bytes: inout Int) -> Bool {
        switch step {
        case .wait(let duration): return clock.wait(duration, watching: socket.descriptor)
        case .stall: return clock.wait(limits.stall, watching: socket.descriptor)
        case .send(let head, let body, let range, nil):
            let sent = socket.send(head[...], body[range])
            bytes += sent
            return sent == head.count + range.count
        case .send(let head, let body, let range, let bytesPerSecond?):
            return sendSlowly(head[...], body[range], bytesPerSecond, bytes: &bytes)
        }
    }

    /// Sends chunks of a twentieth of a second, and waits after each for the time that it takes.
    private func sendSlowly(
        _ head: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>, _ bytesPerSecond: Int, bytes: inout Int
    ) -> Bool {
        let size = max(1, min(64 << 10, bytesPerSecond / 20))
        for part in [head, body] {
            var rest = part
            while !rest.isEmpty {
                let chunk = rest.prefix(size)
                rest = rest.dropFirst(size)
                let sent = socket.send(chunk, [])
                bytes += sent
                guard sent == chunk.count else { return false }
                let time = Duration.seconds(1) * chunk.count / bytesPerSecond
                guard clock.wait(time, watching: socket.descriptor) else { return false }
            }
        }
        return true
    }
}

/// The timeouts and limits of a connection.
public struct ConnectionLimits: Hashable, Sendable {
    /// The maximum time to wait for bytes from the client, including a new request on an idle connection.
    public var receive: Duration = .seconds(30)
    /// The maximum number of chunks in which a request may arrive. Limits clients that send single bytes slowly.
    public var receivesPerHead = 128
    /// The maximum time to wait until the client accepts bytes.
    public var send: Duration = .seconds(30)
    /// The time that a stalled response stays open.
    public var stall: Duration = .seconds(300)

    /// Creates the default limits.
    public init() {}
}
