import ImageCore
import Synchronization

/// Holds time in the background while downloads need it, and no longer.
final class BackgroundTime: Sendable {
    private struct State: Sendable {
        var needs: Set<UInt64> = []
        var allowance: BackgroundAllowance?
        var isAsking = false
        var onTimeUp: @Sendable () -> Void = {}
    }

    private let provider: any BackgroundTimeProvider
    private let state = Mutex(State())

    init(_ provider: any BackgroundTimeProvider) { self.provider = provider }

    /// - Parameter handler: called when there is no more time, or none is given.
    func onTimeUp(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onTimeUp = handler } }

    func isNeeded(by downloads: some Sequence<UInt64>) {
        let begins = state.withLock { state in
            state.needs.formUnion(downloads)
            guard !state.needs.isEmpty, state.allowance == nil, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard begins else { return }
        let allowance = provider.begin { [weak self] in self?.expired() }
        let isKept = state.withLock { state in
            state.isAsking = false
            state.allowance = state.needs.isEmpty ? nil : allowance
            return state.allowance != nil
        }
        if allowance == nil { expired() } else if !isKept { allowance?.end() }
    }

    func isNotNeeded(by download: UInt64) {
        let allowance = state.withLock { state -> BackgroundAllowance? in
            guard state.needs.remove(download) != nil, state.needs.isEmpty else { return nil }
            return state.allowance.take()
        }
        allowance?.end()
    }

    /// The application is seen again.
    func giveBack() {
        let allowance = state.withLock { state in
            state.needs = []
            return state.allowance.take()
        }
        allowance?.end()
    }

    private func expired() {
        let (allowance, onTimeUp) = state.withLock { state in
            state.needs = []
            return (state.allowance.take(), state.onTimeUp)
        }
        onTimeUp()
        allowance?.end()
    }
}
