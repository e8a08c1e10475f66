import CImageTransportCurl
import ImageTransporting

/// The loop of the event thread: performs commands, runs libcurl, reports completed transfers, checks timeouts and
/// sleeps.
///
/// Used only on that thread. Nothing else uses libcurl's handles.
final class EventLoop {
    private let queue: CommandQueue
    private let options: CurlTransport.Options
    private var transfers: [UInt64: ActiveTransfer] = [:]
    private let pendingUpdates = PendingUpdates()
    private var nextTimeCheck: Int64 = .max

    private init(queue: CommandQueue, options: CurlTransport.Options) {
        self.queue = queue
        self.options = options
    }

    static func startThread(queue: CommandQueue, options: CurlTransport.Options) -> Bool {
        let loop = unsafe Unmanaged.passRetained(EventLoop(queue: queue, options: options))
        let isStarted = unsafe itc_thread_start(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
            }, unsafe loop.toOpaque())
        if !isStarted { unsafe loop.release() }
        return isStarted
    }

    private func run() {
        while true {
            for command in queue.takeAll() {
                guard perform(command) else { return shutDown() }
            }
            unsafe itc_engine_run_timers(queue.multi)
            reportEnded()
            reportUpdates()
            checkTimes()
            unsafe itc_engine_poll(queue.multi, queue.prepareToSleep() ? sleepTime() : 0)
        }
    }

    /// Returns false if the loop must end.
    private func perform(_ command: CurlEngine.Command) -> Bool {
        switch command {
        case .start(let id, let channel, let deadline): start(id, channel, deadline)
        case .resume(let id):
            if let transfer = transfers[id], !transfer.resume() { end(transfer, ITC_REJECTED_BY_CALLBACK) }
        case .stop(let id): remove(id, isGivenUp: true)
        case .closeIdleConnections: unsafe itc_engine_close_idle(queue.multi)
        case .shutDown: return false
        }
        return true
    }

    private func start(_ id: UInt64, _ channel: TransferChannel, _ deadline: Int64) {
        guard !channel.isOver else { return }
        let transfer = ActiveTransfer(
            id: id, channel: channel, timer: TransferTimer(channel.request, deadline: deadline),
            options: options, pendingUpdates: pendingUpdates)
        guard unsafe transfer.start(on: queue.multi) else {
            unsafe transfer.free(queue.multi, isGivenUp: false)
            return channel.ended(.other("libcurl can't start a transfer"))
        }
        transfers[id] = transfer
        nextTimeCheck = min(nextTimeCheck, transfer.timer.nextCheck(after: itc_now_ms()))
    }

    private func remove(_ id: UInt64, isGivenUp: Bool = false) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        unsafe transfer.free(queue.multi, isGivenUp: isGivenUp)
    }

    private func reportEnded() {
        var outcome = ITC_COMPLETE
        while let context = unsafe itc_engine_next_completed(queue.multi, &outcome) {
            let transfer = unsafe Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
            end(transfer, outcome)
        }
    }

    private func end(_ transfer: ActiveTransfer, _ outcome: itc_outcome) {
        let failure = transfer.failure(for: outcome)
        remove(transfer.id)
        transfer.reportEnd(failure)
    }

    private func reportUpdates() {
        for id in pendingUpdates.takeAll() {
            guard let transfer = transfers[id] else { continue }
            switch transfer.reportUpdate() {
            case .proceed: break
            case .pause: transfer.pause()
            case .stop: remove(id)
            }
        }
    }

    /// Ends transfers that have stalled or exceeded their deadline.
    private func checkTimes() {
        guard !transfers.isEmpty else { return nextTimeCheck = .max }
        let now = itc_now_ms()
        guard now >= nextTimeCheck else { return }
        nextTimeCheck = .max
        for (id, transfer) in transfers {
            if let phase = transfer.expiredPhase(now: now) {
                remove(id, isGivenUp: true)
                transfer.channel.ended(.timedOut(phase))
            } else {
                nextTimeCheck = min(nextTimeCheck, transfer.timer.nextCheck(after: now))
            }
        }
    }

    /// Returns the time to sleep in milliseconds. Commands, received bytes and libcurl's timers end the sleep earlier.
    private func sleepTime() -> Int32 {
        guard nextTimeCheck != .max else { return 60_000 }
        return Int32(clamping: max(0, nextTimeCheck - itc_now_ms()))
    }

    private func shutDown() {
        for (id, transfer) in transfers {
            remove(id)
            transfer.channel.ended(.cancelled)
        }
    }
}
