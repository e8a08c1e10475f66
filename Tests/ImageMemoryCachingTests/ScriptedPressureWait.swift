import Dispatch
import ImageCore
import ImageTesting
import Synchronization

@testable import ImageMemoryCaching

/// A wait that the test ends, and that records a log. It blocks only the monitor's thread.
final class ScriptedPressureWait: PressureWait {
    enum Message: Hashable, Sendable {
        case armed(String, String)
        case waited(Duration?)
        case endRequested
        case ended
    }

    let log = MessageLog<Message>()
    private let grants: Bool
    private let wakes = Mutex<[PressureWake]>([])
    private let isWoken = DispatchSemaphore(value: 0)

    init(grants: Bool = true) { self.grants = grants }

    func arm(_ trigger: PressureTrigger, on file: String) -> Bool {
        log.append(.armed(trigger.text, file))
        return grants
    }

    func wait(atMost interval: Duration?) -> PressureWake {
        log.append(.waited(interval))
        isWoken.wait()
        let wake = wakes.withLock { $0.removeFirst() }
        if wake == .ended { log.append(.ended) }
        return wake
    }

    func end() {
        log.append(.endRequested)
        wake(.ended)
    }

    /// Ends the current or the next wait.
    func wake(_ wake: PressureWake) {
        wakes.withLock { $0.append(wake) }
        isWoken.signal()
    }
}
