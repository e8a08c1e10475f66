import ImageCore
import Synchronization

/// Requests background time from the platform while downloads need it.
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

    /// - Parameter handler: Called when the time expires or is not granted.
    func onTimeUp(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onTimeUp = handler } }

    func begin(for downloads: some Sequence<UInt64>) {
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

    func end(for download: UInt64) { release { $0.remove(download) } }

    func end() { release { $0 = [] } }

    private func release(_ change: (inout Set<UInt64>) -> Void) {
        let allowance = state.withLock { state in
            change(&state.needs)
            return state.needs.isEmpty ? state.allowance.take() : nil
        }
        allowance?.end()
    }

    private func expired() {
        state.withLock { $0.onTimeUp }()
        end()
    }
}
