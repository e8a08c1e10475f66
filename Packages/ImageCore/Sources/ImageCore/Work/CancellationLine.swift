import Synchronization

/// Cancels something that may not have begun yet.
package final class CancellationLine: Sendable {
    private let state = Mutex<(isCancelled: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func attach(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isLate { cancel() }
    }

    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
