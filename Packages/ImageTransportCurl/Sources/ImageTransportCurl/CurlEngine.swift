import CImageTransportCurl
import ImageTransporting
import Synchronization

/// One event thread and its connections. The thread ends when the engine is released.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        /// `deadline` in monotonic milliseconds.
        case start(UInt64, TransferChannel, deadline: Int64)
        case resume(UInt64)
        case stop(UInt64)
        case shutDown
    }

    private let mailbox: Mailbox
    private let nextID = Mutex<UInt64>(0)

    /// Nil when the system has no memory or no thread left.
    init?(configuration: CurlTransport.Configuration) {
        guard let mailbox = Mailbox(configuration: configuration) else { return nil }
        self.mailbox = mailbox
        guard EventLoop.startThread(mailbox: mailbox, configuration: configuration) else { return nil }
    }

    deinit { mailbox.post(.shutDown) }

    /// - Parameter deadline: monotonic milliseconds at which the transfer ends in any case.
    func start(_ request: TransportRequest, deadline: Int64) -> TransferChannel {
        let id = nextID.withLock { id in
            id += 1
            return id
        }
        // The closures keep the engine's thread alive as long as a transfer is.
        let channel = TransferChannel(
            request: request, resume: { self.post(.resume(id)) }, stop: { self.post(.stop(id)) })
        post(.start(id, channel, deadline: deadline))
        return channel
    }

    private func post(_ command: Command) { mailbox.post(command) }
}

/// Commands for the event thread. Owns libcurl's multi handle, so that it outlives everyone who may wake it.
@safe final class Mailbox: Sendable {
    // Sound: the pointer never changes; the functions it goes to are called by the event thread alone, but for
    // itc_engine_wake, which any thread may call, and itc_engine_free, when nobody else is left.
    nonisolated(unsafe) let multi: OpaquePointer
    private let state = Mutex(State())

    private struct State {
        var commands: [CurlEngine.Command] = []
        /// Whether the thread sleeps, or is about to, and must be woken.
        var isAsleep = false
    }

    init?(configuration: CurlTransport.Configuration) {
        let limits = (configuration.maxConnectionsPerHost, configuration.maxConnections)
        guard let made = unsafe itc_engine_make(limits.0, limits.1) else { return nil }
        unsafe multi = made
    }

    deinit { unsafe itc_engine_free(multi) }

    func post(_ command: CurlEngine.Command) {
        let wakes = state.withLock { state in
            state.commands.append(command)
            defer { state.isAsleep = false }  // one wake is enough for all that come before the thread looks
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

    /// False when there are commands to take before the thread may sleep.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }
}
