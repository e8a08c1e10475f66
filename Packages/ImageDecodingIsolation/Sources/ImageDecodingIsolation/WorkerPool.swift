#if os(Linux)
    import Dispatch
    import ImageCore
    import Synchronization

    /// Starts workers, lends them and replaces them.
    final class WorkerPool: Sendable {
        private let isolation: ImageIsolation
        private let slots: DispatchSemaphore
        private let state = Mutex(State())

        private struct State {
            /// The workers that nobody uses. The one that was used last is last.
            var idle: [WorkerProcess] = []
            /// What starts workers. Another one replaces it after a failure, so that nobody can guess its addresses by trying.
            var starter: WorkerStarter?
            var readerCount: UInt64 = 0
            /// Whether it is known that the kernel lacks something.
            var isUnprotected = false
        }

        /// The number of idle workers that are kept for their origins and animations. Beyond it, one ends before another starts.
        private static let keptWorkers = 4

        init(_ isolation: ImageIsolation) {
            self.isolation = isolation
            slots = DispatchSemaphore(value: isolation.workers)
            // If it fails, the first image tries it again, and throws the error.
            _ = try? starter()
        }

        deinit { for worker in state.withLock({ $0.idle }) { worker.end() } }

        /// Uses a worker for one image. Waits for it with the thread.
        ///
        /// - Parameters:
        ///   - scope: Whose image it is. The worker has seen no images of others.
        ///   - file: The file. A worker that has it open is preferred.
        ///   - reader: The reader whose file may be open in a worker.
        ///   - isCancelled: Called about every 20 milliseconds.
        ///   - body: May be called twice: an earlier image may have damaged the first worker.
        func use<Value>(
            _ scope: WorkerScope, file: Data? = nil, reader: UInt64? = nil, isCancelled: () -> Bool,
            _ body: (inout WorkerProcess) throws(ImageDecodingError) -> Value
        ) throws(ImageDecodingError) -> Value {
            while slots.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                if isCancelled() { throw .cancelled }
            }
            defer { slots.signal() }
            let worker = try worker(for: scope, file: file, reader: reader)
            let isFresh = worker.imageCount == 0
            do throws(ImageDecodingError) {
                return try run(body, on: worker)
            } catch .workerFailed(let failure) where !isFresh && failure != .timedOut {
                return try run(body, on: start(scope))
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
                replaceStarter()
                isolation.onEvent(.failed(known))
                throw .workerFailed(known)
            }
        }

        /// Learns that the kernel can't protect the application.
        private func accept(_ missing: String) throws(ImageDecodingError) {
            let isFirst = state.withLock { state in
                defer { state.isUnprotected = true }
                return !state.isUnprotected
            }
            if isFirst { isolation.onEvent(.unprotected(missing)) }
            if isolation.requirement == .required { throw .workerFailed(.unprotected(missing)) }
        }

        private func worker(
            for scope: WorkerScope, file: Data?, reader: UInt64?
        ) throws(ImageDecodingError) -> WorkerProcess {
            let (found, unused) = state.withLock { state -> (WorkerProcess?, unused: WorkerProcess?) in
                let workers = state.idle
                let index =
                    workers.lastIndex { $0.reader != nil && $0.reader == reader }
                    ?? workers.lastIndex { $0.isFree(for: scope) && $0.hasOpened(file) }
                    ?? workers.lastIndex { $0.isFree(for: scope) }
                if let index { return (state.idle.remove(at: index), nil) }
                let isFull = workers.count >= Self.keptWorkers
                return (nil, isFull ? state.idle.removeFirst() : nil)
            }
            unused?.end()
            if let found { return found }
            return try start(scope)
        }

        private func start(_ scope: WorkerScope) throws(ImageDecodingError) -> WorkerProcess {
            let worker: WorkerProcess
            do throws(ImageDecodingError) {
                worker = try WorkerProcess(isolation, scope, by: starter())
            } catch {
                // The program may have ended, for example because memory was short.
                _ = state.withLock { $0.starter.take() }
                worker = try WorkerProcess(isolation, scope, by: starter())
            }
            guard let missing = worker.missingProtection else { return worker }
            do throws(ImageDecodingError) {
                try accept(missing)
            } catch {
                worker.end()
                throw error
            }
            return worker
        }

        private func starter() throws(ImageDecodingError) -> WorkerStarter {
            if let starter = state.withLock({ $0.starter }) { return starter }
            let starter = try WorkerStarter(isolation.program)
            return state.withLock { state in
                let known = state.starter ?? starter
                state.starter = known
                return known
            }
        }

        /// Starts another one, so that the next worker needn't wait for it.
        private func replaceStarter() {
            _ = state.withLock { $0.starter.take() }
            // If it fails, the next image tries it again, and throws the error.
            _ = try? starter()
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
