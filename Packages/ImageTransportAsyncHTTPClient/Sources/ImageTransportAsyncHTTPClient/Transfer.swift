#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageCore
    import ImageTransporting
    import NIOCore
    import NIOHTTP1

    /// A request and its response. Reports the client's callbacks to a `TransferChannel`. Uses `state` only on the
    /// event loop.
    final class Transfer: Sendable {
        private enum Phase {
            /// Waits in `ServerQueues`.
            case waiting
            case connecting, connected, over
        }

        private struct State {
            var phase = Phase.waiting
            /// `nil` after the end, because the channel retains this transfer.
            var channel: TransferChannel?
            var timer: TransferTimer
            var scheduledCheck: Scheduled<Void>?
            var task: HTTPClient.Task<Void>?
            var decoder: ContentDecoder?
            /// Completed to resume the paused sender.
            var readPromise: EventLoopPromise<Void>?
        }

        /// Scheme, host and port.
        let server: String
        private let request: TransportRequest
        private let loop: any EventLoop
        private let deadline: Int64
        private let engine: TransferEngine
        private let state: NIOLoopBoundBox<State>

        /// - Parameter deadline: The time at which the transfer times out, in milliseconds of the event loop.
        init(_ request: TransportRequest, loop: any EventLoop, deadline: Int64, engine: TransferEngine) {
            self.request = request
            self.loop = loop
            self.deadline = deadline
            self.engine = engine
            server = request.url.server
            let timer = TransferTimer(request, deadline: deadline)
            state = .makeBoxSendingValue(State(timer: timer), eventLoop: loop)
        }

        // MARK: From any thread

        func enter(_ channel: TransferChannel) {
            loop.execute {
                self.state.value.channel = channel
                self.checkTime()
                self.engine.update {
                    $0.enter(self, server: self.server, mayMultiplex: self.server.hasPrefix("https:"))
                }
            }
        }

        func begin() { loop.execute { self.execute() } }

        func resume() { loop.execute { self.continueBody() } }

        func stop() { loop.execute { self.end(.cancelled) } }

        // MARK: On the event loop

        private func execute() {
            guard state.value.phase == .waiting, state.value.channel?.isOver == false else {
                end(.cancelled)
                return engine.update { $0.leave(server) }
            }
            state.value.phase = .connecting
            setTimer(TransferTimer(stallLimit: request.connectTimeout.wholeMilliseconds, deadline: deadline))
            do {
                let holder = engine.client.holder
                let task = holder.client.execute(
                    request: try request.makeClientRequest(), delegate: self, eventLoop: .delegate(on: loop))
                task.futureResult.whenComplete { result in
                    self.ended(result)
                    withExtendedLifetime(holder) {}
                }
                if state.value.phase != .over { state.value.task = task }
            } catch {
                end(failure(for: error))
                engine.update { $0.leave(server) }
            }
        }

        private func ended(_ result: Result<Void, any Error>) {
            switch result {
            case .success: end(nil)
            case .failure(let error): end(failure(for: error))
            }
            engine.update { $0.connectionAttemptEnded(to: server) }
            engine.update { $0.leave(server) }
        }

        /// Does nothing if the transfer has ended.
        private func end(_ failure: TransportError?) {
            guard state.value.phase != .over else { return }
            if state.value.phase == .connected, failure?.isGivenUp == true { engine.gaveUp(request) }
            state.value.phase = .over
            state.value.scheduledCheck?.cancel()
            state.value.scheduledCheck = nil
            state.value.decoder = nil
            state.value.channel.take()?.ended(failure)
            let task = state.value.task.take()
            if failure != nil { task?.cancel() }
            state.value.readPromise.take()?.fail(HTTPClientError.cancelled)
        }

        private func failure(for error: any Error) -> TransportError {
            request.failure(for: error, isConnected: state.value.phase == .connected, state.value.channel)
        }

        // MARK: Time

        private func setTimer(_ timer: TransferTimer) {
            state.value.timer = timer
            state.value.scheduledCheck?.cancel()
            checkTime()
        }

        private func checkTime() {
            guard state.value.phase != .over else { return }
            let (now, isConnecting) = (loop.milliseconds, state.value.phase == .connecting)
            let isWaiting = isConnecting || state.value.channel?.isWaitingForBytes == true
            if isWaiting, !isConnecting { engine.note { $0.waits(for: server, now: now) } }
            switch state.value.timer.expiry(isWaiting: isWaiting, now: now) {
            case .overdue: end(.timedOut(.total))
            case .stalled where isConnecting: end(.timedOut(.connect))
            case .stalled: end(.timedOut(state.value.channel?.hasHead == true ? .body : .head))
            case nil:
                let pause = max(1, state.value.timer.nextCheck(after: now) - now)
                state.value.scheduledCheck = loop.scheduleTask(in: .milliseconds(pause)) { self.checkTime() }
            }
        }
    }

    extension TransportError {
        fileprivate var isGivenUp: Bool {
            switch self {
            case .cancelled, .timedOut: true
            default: false
            }
        }
    }

    // MARK: - HTTPClientResponseDelegate

    extension Transfer: HTTPClientResponseDelegate {
        func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
            guard state.value.phase == .connecting else {
                // This is a second request: the client follows redirects without the rules of `RedirectChain`.
                return end(.other("the client follows redirects: create it with makeClientConfiguration()"))
            }
            state.value.phase = .connected
            state.value.channel?.connected()
            setTimer(TransferTimer(request, deadline: deadline))
            engine.update { $0.connectionAttemptEnded(to: server) }
        }

        func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            noteBytes(0)
            if head.version.major >= 2 { engine.update { $0.answeredOverHTTP2(from: server) } }
            do throws(TransportError) {
                let answer = try request.head(head)
                if request.isDecoded {
                    state.value.decoder = try ContentDecoder(
                        for: ContentCodings(answer.headers), decodedByteLimit: request.bodyByteLimit)
                }
                state.value.channel?.headArrived(answer)
                return loop.makeSucceededVoidFuture()
            } catch {
                return loop.makeFailedFuture(error)
            }
        }

        func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
            noteBytes(part.readableBytes)
            let bytes = unsafe part.withUnsafeReadableBytes { unsafe Data($0) }
            do throws(TransportError) {
                state.value.decoder?.add(bytes)
                let isTaken = try state.value.decoder == nil ? deliver(bytes) : deliverDecoded()
                guard !isTaken else { return loop.makeSucceededVoidFuture() }
                let readPromise = loop.makePromise(of: Void.self)
                state.value.readPromise = readPromise
                return readPromise.futureResult
            } catch {
                return loop.makeFailedFuture(error)
            }
        }

        private func noteBytes(_ count: Int) {
            state.value.timer.bytesArrived(count)
            engine.note { $0.bytesArrived(from: server) }
        }

        func didFinishRequest(task: HTTPClient.Task<Void>) throws {
            try state.value.decoder?.finish()
        }

        /// Delivers what a paused consumer has not received. Then the client reads the next part.
        private func continueBody() {
            do throws(TransportError) {
                if try deliverDecoded() { state.value.readPromise.take()?.succeed() }
            } catch {
                state.value.readPromise.take()?.fail(error)
            }
        }

        /// Returns false if the consumer must take bytes first.
        private func deliverDecoded() throws(TransportError) -> Bool {
            while let piece = try state.value.decoder?.next(), !piece.isEmpty {
                guard try deliver(piece) else { return false }
            }
            return true
        }

        private func deliver(_ piece: Data) throws(TransportError) -> Bool {
            guard !piece.isEmpty else { return true }
            switch state.value.channel?.arrived(piece) {
            case .deliver, .buffer: return true
            case .pause: return false
            case .stop, .fail, nil: throw .cancelled
            }
        }
    }
#endif
