import CImageTransportCurl
import ImageTransporting
import Synchronization

/// Runs transfers on an event thread, which ends when the engine is released.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        /// Starts a transfer. `deadline` is in monotonic milliseconds.
        case start(UInt64, TransferChannel, deadline: Int64)
        case resume(UInt64)
        case stop(UInt64)
        case closeIdleConnections
        case shutDown
    }

    private let queue: CommandQueue
    private let nextID = Mutex<UInt64>(0)

    /// Returns nil if there is no memory or no thread can be created.
    init?(options: CurlTransport.Options) {
        guard let queue = CommandQueue(options: options) else { return nil }
        self.queue = queue
        guard EventLoop.startThread(queue: queue, options: options) else { return nil }
    }

    deinit { queue.post(.shutDown) }

    /// Starts a transfer.
    ///
    /// - Parameter deadline: The time in monotonic milliseconds at which the transfer times out.
    func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
        let id = nextID.withLock { id in
            id += 1
            return id
        }
        // The closures retain the engine, so that its thread runs as long as the transfer.
        let channel = TransferChannel(
            request: request, resume: { self.post(.resume(id)) }, stop: { self.post(.stop(id)) })
        post(.start(id, channel, deadline: deadline))
        return channel
    }

    func closeIdleConnections() { post(.closeIdleConnections) }

    private func post(_ command: Command) { queue.post(command) }
}

/// The commands for the event thread. Owns libcurl's multi handle, so that it outlives all callers that may wake it.
@safe final class CommandQueue: Sendable {
    // Safe: the pointer never changes. Only the event thread calls functions with it, except for itc_engine_wake, which
    // any thread may call, and itc_engine_free, which is called when no other references exist.
    nonisolated(unsafe) let multi: OpaquePointer
    private let state = Mutex(State())

    private struct State {
        var commands: [CurlEngine.Command] = []
        /// Whether the thread sleeps or is about to, and must be woken.
        var isAsleep = false
    }

    init?(options: CurlTransport.Options) {
        let limits = [options.maxConnectionsPerServer, options.maxConnections].map {
            min(max(1, $0), 65_535)
        }
        guard let made = unsafe itc_engine_make(limits[0], limits[1]) else { return nil }
        unsafe multi = made
    }

    deinit { unsafe itc_engine_free(multi) }

    func post(_ command: CurlEngine.Command) {
        let wakes = state.withLock { state in
            state.commands.append(command)
            defer { state.isAsleep = false }  // one wake is enough for all commands until the thread takes them
            return state.isAsleep
        }
        if wakes { unsafe itc_engine_wake(multi) }
    }

    func takeAll() -> [CurlEngine.Command] {
        state.withLock { state in
            defer { state = State() }
            return state.commands
        }
    }

    /// Returns false if there are commands, so the thread must not sleep.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }
}
