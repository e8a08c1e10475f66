import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Waits in poll(2) for announcements of the kernel and for `end`, which writes to a pipe.
final class PollingPressureWait: PressureWait {
    private struct Armed: Sendable {
        var file: Int32
        var level: MemoryPressureLevel
    }

    private let armed = Mutex<[Armed]>([])
    private let endReader: Int32
    private let endWriter: Int32

    init() throws(MemoryPressureFailure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .refused(call: "pipe", code: errno) }
        (endReader, endWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        for trigger in armed.withLock({ $0 }) { close(trigger.file) }
        close(endReader)
        close(endWriter)
    }

    func arm(_ trigger: PressureTrigger, on path: String) -> Bool {
        let file = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return false }
        guard isKernelFile(file), request(trigger, file) else {
            close(file)
            return false
        }
        armed.withLock { $0.append(Armed(file: file, level: trigger.level)) }
        return true
    }

    func wait(atMost interval: Duration?) -> PressureWake {
        let triggers = armed.withLock { $0 }
        var polled = [pollfd(fd: endReader, events: Int16(POLLIN), revents: 0)]
        polled += triggers.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
        let milliseconds = interval.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1
        let count = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
        guard count > 0 else { return .check(announced: .normal) }
        if polled[0].revents != 0 { return .ended }
        let fired = zip(triggers, polled.dropFirst()).filter { $1.revents != 0 }
        // The file of a removed group is always ready and reports an error.
        for (trigger, state) in fired where state.revents & Int16(POLLERR | POLLNVAL) != 0 { disarm(trigger) }
        return .check(announced: fired.filter { $1.revents & Int16(POLLPRI) != 0 }.map(\.0.level).max() ?? .normal)
    }

    func end() {
        // The pipe has space for more than one byte, so this neither blocks nor fails.
        _ = unsafe write(endWriter, [1], 1)
    }

    private func disarm(_ trigger: Armed) {
        armed.withLock { $0.removeAll { $0.file == trigger.file } }
        close(trigger.file)
    }

    /// The kernel's files have size 0. Other files must not be overwritten.
    private func isKernelFile(_ file: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(file, &status) == 0 && status.st_size == 0
    }

    private func request(_ trigger: PressureTrigger, _ file: Int32) -> Bool {
        let text = Array(trigger.text.utf8) + [0]
        return unsafe write(file, text, text.count) == text.count
    }
}
