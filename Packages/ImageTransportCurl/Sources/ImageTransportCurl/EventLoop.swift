import CImageTransportCurl
import ImageTransporting

/// What the engine's thread does, for ever: take commands, let libcurl work, report endings, look for stalls, sleep.
/// Lives on that thread alone; only here are libcurl's handles touched.
final class EventLoop {
    private let mailbox: Mailbox
    private let configuration: CurlTransport.Configuration
    private var transfers: [UInt64: ActiveTransfer] = [:]
    private let newsList = NewsList()
    private var nextTimeCheck: Int64 = .max

    private init(mailbox: Mailbox, configuration: CurlTransport.Configuration) {
        self.mailbox = mailbox
        self.configuration = configuration
    }

    static func startThread(mailbox: Mailbox, configuration: CurlTransport.Configuration) -> Bool {
        let loop = unsafe Unmanaged.passRetained(EventLoop(mailbox: mailbox, configuration: configuration))
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
            for command in mailbox.takeAll() {
                guard carryOut(command) else { return shutDown() }
            }
            unsafe itc_engine_run_due(mailbox.multi)
            reportEnded()
            tellNews()
            checkTimes()
            unsafe itc_engine_work(mailbox.multi, mailbox.fallAsleep() ? sleepTime() : 0)
        }
    }

    /// False when the loop is to end.
    private func carryOut(_ command: CurlEngine.Command) -> Bool {
        switch command {
        case .start(let id, let channel, let deadline): start(id, channel, deadline)
        case .resume(let id): transfers[id]?.resume()
        case .stop(let id): remove(id)
        case .shutDown: return false
        }
        return true
    }

    private func start(_ id: UInt64, _ channel: TransferChannel, _ deadline: Int64) {
        guard !channel.isOver else { return }
        let transfer = ActiveTransfer(
            id: id, channel: channel, timer: TransferTimer(channel.request, deadline: deadline),
            configuration: configuration, newsList: newsList)
        guard unsafe transfer.start(on: mailbox.multi) else {
            unsafe transfer.free(mailbox.multi)
            return channel.ended(.other("libcurl can't start a transfer"))
        }
        transfers[id] = transfer
        nextTimeCheck = min(nextTimeCheck, transfer.timer.nextQuestion(after: itc_now_ms()))
    }

    private func remove(_ id: UInt64) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        unsafe transfer.free(mailbox.multi)
    }

    private func reportEnded() {
        var ending = ITC_COMPLETE
        while let context = unsafe itc_engine_next_ended(mailbox.multi, &ending) {
            let transfer = unsafe Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
            let failure = transfer.failure(for: ending)
            remove(transfer.id)
            transfer.tellLastNews(failure)
        }
    }

    private func tellNews() {
        for id in newsList.takeAll() {
            guard let transfer = transfers[id] else { continue }
            switch transfer.tellNews() {
            case .nothing: break
            case .pause: transfer.pause()
            case .stop: remove(id)
            }
        }
    }

    /// Ends transfers whose consumer has waited too long, for a byte or in all.
    private func checkTimes() {
        guard !transfers.isEmpty else { return nextTimeCheck = .max }
        let now = itc_now_ms()
        guard now >= nextTimeCheck else { return }
        nextTimeCheck = .max
        for (id, transfer) in transfers {
            if let phase = transfer.expiredPhase(now: now) {
                remove(id)
                transfer.channel.ended(.timedOut(phase))
            } else {
                nextTimeCheck = min(nextTimeCheck, transfer.timer.nextQuestion(after: now))
            }
        }
    }

    /// Milliseconds; a posted command or a byte ends the sleep earlier, and libcurl's own timers do too.
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
