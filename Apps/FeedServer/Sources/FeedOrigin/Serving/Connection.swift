/// Serves one client until it leaves, fails to behave, or is made to leave. Blocks its thread.
struct Connection {
    let socket: Socket
    let site: Site
    let switches: Switches
    let pacing: any Pacing
    let patience: Patience

    enum Ending { case orderly, reset }

    private enum Next { case goOn, close, reset }

    /// Returns how the socket is to be closed, for its owner to do.
    func serve() -> Ending {
        socket.setTimeouts(receive: patience.receive, send: patience.send)
        guard conversation() == .close else { return .reset }
        socket.finish()
        return .orderly
    }

    private func conversation() -> Next {
        var parser = RequestParser()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var receives = 0
        while true {
            do throws(RequestFailure) {
                while let request = try parser.next() {
                    receives = 0
                    let next = answer(request)
                    if next != .goOn { return next }
                }
            } catch {
                refuse(error)
                return .close
            }
            receives += parser.isWithinRequest ? 1 : 0
            guard receives < patience.receivesPerHead, let count = socket.receive(into: &buffer), count > 0 else {
                if parser.isWithinRequest { refuse(status: 408, "the request did not come to its end") }
                return .close
            }
            parser.append(buffer[..<count])
        }
    }

    private func answer(_ request: HTTPRequest) -> Next {
        let isAboutStatistics = request.path == "/stats" || request.path == "/stats/reset"
        let attempt = isAboutStatistics ? 1 : site.statistics.began(request)
        let switches = isAboutStatistics ? Switches() : switches
        let misbehaviour: Misbehaviour
        do throws(RequestFailure) {
            misbehaviour = try Misbehaviour(request, attempt: attempt, switches: switches)
        } catch {
            return perform(delivery(.failure(error.status, error.text), Misbehaviour(), request))
        }
        let response = site.respond(to: request)
        return perform(delivery(response, misbehaviour, request), isCounted: !isAboutStatistics)
    }

    private func delivery(_ response: HTTPResponse, _ misbehaviour: Misbehaviour, _ request: HTTPRequest) -> Delivery {
        Delivery(
            response, misbehaviour: misbehaviour, date: pacing.date.text, keepsAlive: request.keepsAlive,
            isHead: request.method == "HEAD")
    }

    private func refuse(_ failure: RequestFailure) { refuse(status: failure.status, failure.text) }

    private func refuse(status: Int, _ text: String) {
        let delivery = Delivery(
            .failure(status, text), misbehaviour: Misbehaviour(), date: pacing.date.text, keepsAlive: false,
            isHead: false)
        _ = perform(delivery)
    }

    private func perform(_ delivery: Delivery, isCounted: Bool = true) -> Next {
        var bytes = 0
        var isAbandoned = false
        for step in delivery.steps where !isAbandoned { isAbandoned = !perform(step, bytes: &bytes) }
        if isCounted { site.statistics.ended(status: delivery.status, bytes: bytes, isAbandoned: isAbandoned) }
        if isAbandoned { return .close }
        return switch delivery.ending {
        case .keepAlive: .goOn
        case .close: .close
        case .reset: .reset
        }
    }

    /// False when the client has gone.
    private func perform(_ step: Delivery.Step, bytes: inout Int) -> Bool {
        switch step {
        case .wait(let duration): return pacing.wait(duration, watching: socket.descriptor)
        case .stall: return pacing.wait(patience.stall, watching: socket.descriptor)
        case .send(let head, let body, let range, nil):
            let sent = socket.send(head[...], body[range])
            bytes += sent
            return sent == head.count + range.count
        case .send(let head, let body, let range, let bytesPerSecond?):
            return sendSlowly(head[...], body[range], bytesPerSecond, bytes: &bytes)
        }
    }

    /// Pieces of a twentieth of a second, each followed by the time that it takes.
    private func sendSlowly(
        _ head: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>, _ bytesPerSecond: Int, bytes: inout Int
    ) -> Bool {
        let size = max(1, min(64 << 10, bytesPerSecond / 20))
        for part in [head, body] {
            var rest = part
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(size)
                let sent = socket.send(piece, [])
                bytes += sent
                guard sent == piece.count else { return false }
                let time = Duration.seconds(1) * piece.count / bytesPerSecond
                guard pacing.wait(time, watching: socket.descriptor) else { return false }
            }
        }
        return true
    }
}

/// How long the server waits for its clients.
public struct Patience: Hashable, Sendable {
    /// For the next bytes of a client, a new request on an idle connection included.
    public var receive: Duration = .seconds(30)
    /// In how many pieces a request may come: bounds a client that sends a byte now and then.
    public var receivesPerHead = 128
    /// For a client to take bytes.
    public var send: Duration = .seconds(30)
    /// How long a stalled answer is kept open.
    public var stall: Duration = .seconds(300)

    public init() {}
}
