#if AsyncHTTPClient
    import AsyncHTTPClient
    import ImageContentCoding
    import ImageTransporting
    import NIOCore
    import NIOHTTP1

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One exchange with an origin: the client's callbacks on one side, a `TransferChannel` on the other. Everything in `state` happens
    /// on the event loop.
    final class Transfer: Sendable {
        private enum Phase {
            /// In the queue for a connection.
            case waiting
            case connecting, connected, over
        }

        private struct State {
            var phase = Phase.waiting
            /// Nil when it is over: it knows this transfer too.
            var channel: TransferChannel?
            var timer: TransferTimer
            var alarm: Scheduled<Void>?
            var task: HTTPClient.Task<Void>?
            var decoder: ContentDecoder?
            /// Kept while the sender is held back.
            var demand: EventLoopPromise<Void>?
        }

        /// Scheme, host and port.
        let origin: String
        private let request: TransportRequest
        private let loop: any EventLoop
        private let deadline: Int64
        private let engine: TransferEngine
        private let state: NIOLoopBoundBox<State>

        /// - Parameter deadline: milliseconds of the event loop's time at which the transfer ends in any case.
        init(_ request: TransportRequest, loop: any EventLoop, deadline: Int64, engine: TransferEngine) {
            self.request = request
            self.loop = loop
            self.deadline = deadline
            self.engine = engine
            origin = RedirectTrail.origin(of: request.url)
            let timer = TransferTimer(request, deadline: deadline)
            state = .makeBoxSendingValue(State(timer: timer), eventLoop: loop)
        }

        // MARK: From any thread

        func enter(_ channel: TransferChannel) {
            loop.execute {
                self.state.value.channel = channel
                self.checkTime()
                self.engine.enter(self)
            }
        }

        func begin() { loop.execute { self.execute() } }

        func resume() { loop.execute { self.takeDemand()?.succeed() } }

        func stop() { loop.execute { self.end(.cancelled) } }

        // MARK: On the event loop

        private func execute() {
            guard state.value.phase == .waiting, state.value.channel?.isOver == false else {
                end(.cancelled)
                return engine.leave(self)
            }
            state.value.phase = .connecting
            setTimer(TransferTimer(stallLimit: request.connectTimeout.wholeMilliseconds, deadline: deadline))
            do {
                let task = engine.holder.client.execute(
                    request: try request.makeClientRequest(), delegate: self, eventLoop: .delegate(on: loop))
                task.futureResult.whenComplete { self.ended($0) }
                if state.value.phase != .over { state.value.task = task }
            } catch {
                end(failure(for: error))
                engine.leave(self)
            }
        }

        /// The client has finished with it, well or not, and its connection is free or closed.
        private func ended(_ result: Result<Void, any Error>) {
            switch result {
            case .success: end(nil)
            case .failure(let error): end(failure(for: error))
            }
            engine.connectionDecided(self)
            engine.leave(self)
        }

        /// Tells the consumer and, if it still works, stops the client. Nothing happens the second time.
        private func end(_ failure: TransportFailure?) {
            guard state.value.phase != .over else { return }
            state.value.phase = .over
            state.value.alarm?.cancel()
            state.value.alarm = nil
            state.value.decoder = nil
            let (task, channel) = (state.value.task, state.value.channel)
            (state.value.task, state.value.channel) = (nil, nil)
            channel?.ended(failure)
            if failure != nil { task?.cancel() }
            takeDemand()?.fail(HTTPClientError.cancelled)
        }

        private func failure(for error: any Error) -> TransportFailure {
            ClientFailure(error, request: request, isConnected: state.value.phase == .connected)
                .failure(state.value.channel)
        }

        private func takeDemand() -> EventLoopPromise<Void>? {
            defer { state.value.demand = nil }
            return state.value.demand
        }

        // MARK: Time

        private func setTimer(_ timer: TransferTimer) {
            state.value.timer = timer
            state.value.alarm?.cancel()
            checkTime()
        }

        /// Ends the transfer if it is time, or sets the alarm for the next look.
        private func checkTime() {
            guard state.value.phase != .over else { return }
            let (now, isConnecting) = (loop.milliseconds, state.value.phase == .connecting)
            let isWaitedFor = isConnecting || state.value.channel?.isStallable == true
            switch state.value.timer.expiry(isWaitedFor: isWaitedFor, now: now) {
            case .overdue: end(.timedOut(.whole))
            case .stalled where isConnecting: end(.timedOut(.connect))
            case .stalled: end(.timedOut(state.value.channel?.hasHead == true ? .body : .head))
            case nil:
                let pause = max(1, state.value.timer.nextQuestion(after: now) - now)
                state.value.alarm = loop.scheduleTask(in: .milliseconds(pause)) { self.checkTime() }
            }
        }
    }

    // MARK: - What the client reports

    extension Transfer: HTTPClientResponseDelegate {
        func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
            guard state.value.phase == .connecting else {
                // A second request: the client follows redirects, past the rules for them.
                return end(.other("the client follows redirects by itself: make it with makeClientConfiguration()"))
            }
            state.value.phase = .connected
            state.value.channel?.connected()
            setTimer(TransferTimer(request, deadline: deadline))
            engine.connectionDecided(self)
        }

        func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            state.value.timer.heardSomething()
            if head.version.major >= 2 { engine.answeredOverHTTP2(self) }
            do throws(TransportFailure) {
                let answer = try request.head(head)
                if request.isDecoded {
                    state.value.decoder = try ContentDecoder(for: answer, maxDecodedBytes: request.maxBodyBytes)
                }
                state.value.channel?.headArrived(answer)
                return loop.makeSucceededVoidFuture()
            } catch {
                return loop.makeFailedFuture(error)
            }
        }

        func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
            state.value.timer.heardSomething()
            do throws(TransportFailure) {
                return handOver(try decoded(part))
            } catch {
                return loop.makeFailedFuture(error)
            }
        }

        func didFinishRequest(task: HTTPClient.Task<Void>) throws {
            try state.value.decoder?.finish()
        }

        private func decoded(_ part: ByteBuffer) throws(TransportFailure) -> Data {
            let bytes = unsafe part.withUnsafeReadableBytes { unsafe Data($0) }
            return try state.value.decoder?.decoded(bytes) ?? bytes
        }

        /// The client reads on when the future succeeds.
        private func handOver(_ piece: Data) -> EventLoopFuture<Void> {
            guard !piece.isEmpty else { return loop.makeSucceededVoidFuture() }
            switch state.value.channel?.arrived(piece) {
            case .deliver, .keep: return loop.makeSucceededVoidFuture()
            case .stop, .fail, nil: return loop.makeFailedFuture(TransportFailure.cancelled)
            case .pause:
                let demand = loop.makePromise(of: Void.self)
                state.value.demand = demand
                return demand.futureResult
            }
        }
    }
#endif
