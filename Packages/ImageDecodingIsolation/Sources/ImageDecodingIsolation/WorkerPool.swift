#if os(Linux)
    import Dispatch
    import ImageCore
    import Synchronization

    /// Starts workers, lends them and replaces them.
    final class WorkerPool: Sendable {
        let setup: WorkerSetup
        private let isolation: ImageIsolation
        private let slots: DispatchSemaphore
        private let state = Mutex(State())

        private struct State {
            /// The workers that nobody uses. The one that was used last is last.
            var idle: [WorkerProcess] = []
            var readerCount: UInt64 = 0
            /// What the kernel lacks, once a worker has told it.
            var unprotected: String?
        }

        /// The number of idle workers, in addition to those that decode, that keep the state of an animation.
        private static let keptWorkers = 4

        init(_ isolation: ImageIsolation, setup: WorkerSetup) {
            self.isolation = isolation
            self.setup = setup
            slots = DispatchSemaphore(value: isolation.workers)
        }

        deinit { for worker in state.withLock({ $0.idle }) { worker.end() } }

        /// Uses a worker for one image. Waits for it with the thread.
        ///
        /// - Parameters:
        ///   - origin: Whose image it is. The worker has seen no images of others.
        ///   - reader: The reader whose file may be open in a worker.
        ///   - isCancelled: Called about every 20 milliseconds.
        ///   - body: May be called twice: an earlier image may have damaged the first worker.
        func use<Value>(
            origin: String?, reader: UInt64? = nil, isCancelled: () -> Bool,
            _ body: (inout WorkerProcess) throws(ImageDecodingError) -> Value
        ) throws(ImageDecodingError) -> Value {
            while slots.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                if isCancelled() { throw .cancelled }
            }
            defer { slots.signal() }
            let worker = try worker(for: origin, reader: reader)
            let isFresh = worker.imageCount == 0
            do throws(ImageDecodingError) {
                return try run(body, on: worker)
            } catch .workerFailed(let failure) where !isFresh && failure != .timedOut {
                return try run(body, on: start(origin))
            }
        }

        private func run<Value>(
            _ body: (inout WorkerProcess) throws(ImageDecodingError) -> Value, on worker: WorkerProcess
        ) throws(ImageDecodingError) -> Value {
            var worker = worker
            do throws(ImageDecodingError) {
                let value = try body(&worker)
                giveBack(worker)
                return value
            } catch .cancelled where !worker.isBusy {
                giveBack(worker)
                throw .cancelled
            } catch {
                let end = worker.end()
                guard case .workerFailed(let failure) = error else { throw error }
                let known = error == WorkerProcess.gone ? end : failure
                isolation.onEvent(.failed(known))
                throw .workerFailed(known)
            }
        }

        private func start(_ origin: String?) throws(ImageDecodingError) -> WorkerProcess {
            if let missing = state.withLock({ $0.unprotected }) { throw .workerFailed(.unprotected(missing)) }
            do throws(ImageDecodingError) {
                return try WorkerProcess(isolation, setup: setup, origin: origin)
            } catch .workerFailed(.unprotected(let missing)) {
                let isFirst = state.withLock { state in
                    defer { state.unprotected = missing }
                    return state.unprotected == nil
                }
                if isFirst { isolation.onEvent(.unprotected(missing)) }
                throw .workerFailed(.unprotected(missing))
            }
        }

        private func worker(for origin: String?, reader: UInt64?) throws(ImageDecodingError) -> WorkerProcess {
            let (found, unused) = state.withLock { state -> (WorkerProcess?, unused: WorkerProcess?) in
                if let index = state.idle.lastIndex(where: { $0.reader != nil && $0.reader == reader }) {
                    return (state.idle.remove(at: index), nil)
                }
                if let index = state.idle.lastIndex(where: { $0.reader == nil && $0.origin == origin }) {
                    return (state.idle.remove(at: index), nil)
                }
                let isFull = state.idle.count >= Self.keptWorkers
                return (nil, isFull ? state.idle.removeFirst() : nil)
            }
            unused?.end()
            if let found { return found }
            return try start(origin)
        }

        private func giveBack(_ worker: WorkerProcess) {
            if worker.imageCount >= isolation.imagesPerWorker {
                worker.end()
            } else {
                state.withLock { $0.idle.append(worker) }
            }
        }

        /// Returns a number for a reader of frames.
        func makeReader() -> UInt64 {
            state.withLock { state in
                state.readerCount += 1
                return state.readerCount
            }
        }

        /// Lets other images use the worker that has the file of a reader open.
        func release(reader: UInt64) {
            state.withLock { state in
                for index in state.idle.indices where state.idle[index].reader == reader {
                    state.idle[index].reader = nil
                }
            }
        }
    }
#endif
