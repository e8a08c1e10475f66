import ImageCore
import Synchronization

/// Delays downloads while memory or the application state don't allow them, and interrupts those that run. A download
/// waits for the network only after it has failed without one.
final class DownloadGate: Sendable {
    private struct Waiting: Sendable {
        let priority: LivePriority
        /// Whether it failed without a network.
        let needsNetwork: Bool
        let opening = OneTimeSignal()
    }

    private struct Running: Sendable {
        let priority: LivePriority
        let interruption = OneTimeSignal()
    }

    private struct State: Sendable {
        var conditions = DownloadConditions()
        var waiting: [UInt64: Waiting] = [:]
        var running: [UInt64: Running] = [:]
        private var lastID: UInt64 = 0

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }

        func allows(_ download: Waiting) -> Bool {
            conditions.allow(download.priority.value) && (!download.needsNetwork || conditions.connectivity == .online)
        }

        /// Removes and returns the allowed downloads by priority, and in order of arrival within one priority.
        mutating func takeAllowed() -> [Waiting] {
            let allowed = waiting.filter { allows($0.value) }.map { (id: $0.key, priority: $0.value.priority.value) }
                .sorted { ($1.priority, $0.id) < ($0.priority, $1.id) }
            return allowed.compactMap { waiting.removeValue(forKey: $0.id) }
        }
    }

    private let state = Mutex(State())

    var isOffline: Bool { state.withLock { $0.conditions.connectivity } == .offline }

    /// Changes the conditions. Resumes downloads that are now allowed, and interrupts those that no longer are.
    func changeConditions(_ change: (inout DownloadConditions) -> Void) {
        let (allowed, running, conditions) = state.withLock { state in
            change(&state.conditions)
            return (state.takeAllowed(), state.running, state.conditions)
        }
        for download in allowed { download.opening.send() }
        for download in running.values where !conditions.allow(download.priority.value) {
            download.interruption.send()
        }
    }

    /// Waits until a download is allowed. Calls `onWait` if it must wait. Throws if the task is cancelled.
    func waitUntilOpen(_ priority: LivePriority, onWait: () -> Void) async throws {
        try await wait(Waiting(priority: priority, needsNetwork: false), onWait)
    }

    /// Waits until a download is allowed and there is a network. Returns false if that takes longer than a limit.
    func waitForNetwork(
        _ priority: LivePriority, atMost limit: Duration?, _ clock: any Clock<Duration>,
        onWait: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.wait(Waiting(priority: priority, needsNetwork: true), onWait)
                return true
            }
            if let limit {
                group.addTask {
                    try await clock.sleep(for: limit.limited)
                    return false
                }
            }
            return try await group.next() ?? true
        }
    }

    private func wait(_ download: Waiting, _ onWait: () -> Void) async throws {
        let id = state.withLock { state -> UInt64? in
            if state.allows(download) { return nil }
            let id = state.makeID()
            state.waiting[id] = download
            return id
        }
        guard let id else { return }
        defer { state.withLock { $0.waiting[id] = nil } }
        onWait()
        let observation = download.priority.observe { [weak self] _ in self?.reconsider(id) }
        defer { observation.cancel() }
        reconsider(id)  // the priority may have changed before the observation
        try await download.opening.wait()
    }

    private func reconsider(_ id: UInt64) {
        let allowed = state.withLock { state -> Waiting? in
            guard let download = state.waiting[id], state.allows(download) else { return nil }
            return state.waiting.removeValue(forKey: id)
        }
        allowed?.opening.send()
    }

    /// Runs an attempt. Throws its error, or `AttemptFailure.interrupted` if it is not or no longer allowed: conditions
    /// may have changed while it waited in the lane.
    func run<Value: Sendable>(
        _ priority: LivePriority, _ attempt: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard priority.value < .normal else { return try await attempt() }
        let download = Running(priority: priority)
        let id = state.withLock { state -> UInt64? in
            guard state.conditions.allow(priority.value) else { return nil }
            let id = state.makeID()
            state.running[id] = download
            return id
        }
        guard let id else { throw AttemptFailure.interrupted }
        defer { state.withLock { $0.running[id] = nil } }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await attempt() }
            group.addTask {
                try await download.interruption.wait()
                throw AttemptFailure.interrupted
            }
            // The task that ends first determines the result. The group then waits for the other.
            for try await value in group { return value }
            throw CancellationError()
        }
    }
}

/// The conditions under which downloads run.
struct DownloadConditions: Hashable, Sendable {
    var pressure = MemoryPressureLevel.normal
    var application = ApplicationState.foreground
    var connectivity = Connectivity.online

    /// Returns whether downloads can run, whatever the network. Low priorities need enough memory and the foreground.
    func allow(_ priority: RequestPriority) -> Bool {
        priority >= .normal || application == .foreground && pressure < .warning
    }
}

extension ImageLoaderParts {
    /// Returns nil if there are no monitors, so that all downloads are allowed.
    func makeGate() -> DownloadGate? {
        guard memoryPressureMonitor != nil || applicationStateMonitor != nil || connectivityMonitor != nil else {
            return nil
        }
        return DownloadGate()
    }

    /// Sends the current conditions and all changes to the gate while the observations exist.
    func observeConditions(for gate: DownloadGate) -> [ChangeObservation] {
        [
            memoryPressureMonitor.map { observe($0) { level in gate.changeConditions { $0.pressure = level } } },
            applicationStateMonitor.map { observe($0) { state in gate.changeConditions { $0.application = state } } },
            connectivityMonitor.map { observe($0) { network in gate.changeConditions { $0.connectivity = network } } },
        ].compactMap(\.self)
    }

    /// Observes a condition and applies its current value, until that is stable, so that no change is lost.
    private func observe<Condition>(
        _ monitor: some ConditionMonitor<Condition>, _ apply: @escaping @Sendable (Condition) -> Void
    ) -> ChangeObservation {
        let observation = monitor.observe(apply)
        var applied = monitor.condition
        apply(applied)
        while monitor.condition != applied {
            applied = monitor.condition
            apply(applied)
        }
        return observation
    }
}
