import ImageCore
import Synchronization

/// Delays downloads while memory or the application state don't allow them, and interrupts those that run. A download
/// waits for the network only after it has failed without one.
final class DownloadGate: Sendable {
    private struct Pending: Sendable {
        let priority: LivePriority
        /// Whether it failed without a network.
        let needsNetwork: Bool
        /// Sends whether the download can run.
        let signal = OneTimeSignal<Bool>()
    }

    private struct Running: Sendable {
        let priority: LivePriority
        let interruption = OneTimeSignal<Void>()
    }

    private struct State: Sendable {
        var conditions = DownloadConditions()
        var pending: [UInt64: Pending] = [:]
        var running: [UInt64: Running] = [:]

        func allows(_ download: Pending) -> Bool {
            conditions.allow(download.priority.value) && (!download.needsNetwork || conditions.connectivity == .online)
        }

        /// Removes and returns the allowed downloads by priority, and in order of arrival within one priority.
        mutating func takeAllowed() -> [Pending] {
            let allowed = pending.filter { allows($0.value) }.map { (id: $0.key, priority: $0.value.priority.value) }
                .sorted { ($1.priority, $0.id) < ($0.priority, $1.id) }
            return allowed.compactMap { pending.removeValue(forKey: $0.id) }
        }

        /// Returns the last download of the lowest priority among those that wait for the network.
        func lastForNetwork() -> (id: UInt64, priority: RequestPriority)? {
            pending.filter(\.value.needsNetwork).map { (id: $0.key, priority: $0.value.priority.value) }
                .min { ($0.priority, $1.id) < ($1.priority, $0.id) }
        }
    }

    private let state = Mutex(State())
    private let lastID = Atomic<UInt64>(0)
    private let time: BackgroundTime?
    /// The maximum number of downloads that wait for a network.
    private let maxForNetwork: Int
    /// Whether the application state is observed. If not, only downloads below normal priority can be interrupted.
    private let observesApplication: Bool

    init(maxForNetwork: Int, observesApplication: Bool, time: (any BackgroundTimeProvider)?) {
        self.maxForNetwork = maxForNetwork
        self.observesApplication = observesApplication
        self.time = time.map(BackgroundTime.init)
        self.time?.onTimeUp { [weak self] in
            self?.changeConditions { if $0.application == .background { $0.isTimeUp = true } }
        }
    }

    var isOffline: Bool { state.withLock { $0.conditions.connectivity } == .offline }

    /// Changes the conditions. Resumes downloads that are now allowed, and interrupts those that no longer are.
    func changeConditions(_ change: (inout DownloadConditions) -> Void) {
        let (allowed, running, conditions) = state.withLock { state in
            change(&state.conditions)
            return (state.takeAllowed(), state.running, state.conditions)
        }
        for download in allowed { download.signal.send(true) }
        for download in running.values where !conditions.allow(download.priority.value) {
            download.interruption.send(())
        }
        if conditions.application == .foreground {
            time?.end()
        } else if !conditions.isTimeUp {
            let urgent = running.filter { $0.value.priority.value >= .high }.keys
            time?.begin(for: urgent)
            // Those that ended before `begin` need no time.
            for id in urgent where state.withLock({ $0.running[id] == nil }) { time?.end(for: id) }
        }
    }

    /// Waits until a download is allowed. Calls `onWait` if it must wait. Throws if the task is cancelled.
    func waitUntilOpen(_ priority: LivePriority, onWait: () -> Void) async throws {
        _ = try await wait(Pending(priority: priority, needsNetwork: false), onWait)
    }

    /// Waits until a download is allowed and there is a network.
    ///
    /// - Returns: False if too many downloads of the same or a higher priority wait for the network.
    func waitForNetwork(_ priority: LivePriority, onWait: () -> Void) async throws -> Bool {
        try await wait(Pending(priority: priority, needsNetwork: true), onWait)
    }

    private func wait(_ download: Pending, _ onWait: () -> Void) async throws -> Bool {
        if state.withLock({ $0.allows(download) }) { return true }
        guard let id = add(download) else { return false }
        defer { _ = state.withLock { $0.pending.removeValue(forKey: id) } }
        onWait()
        let observation = download.priority.observe { [weak self] _ in self?.reconsider(id) }
        defer { observation.end() }
        reconsider(id)  // conditions or priority may have changed before the observation
        return try await download.signal.value()
    }

    /// Adds a waiting download. Returns nil if too many wait for the network.
    private func add(_ download: Pending) -> UInt64? {
        let (id, displaced) = state.withLock { state -> (UInt64?, Pending?) in
            var displaced: Pending?
            if download.needsNetwork, state.pending.values.count(where: \.needsNetwork) >= maxForNetwork {
                guard let last = state.lastForNetwork(), last.priority < download.priority.value else {
                    return (nil, nil)
                }
                displaced = state.pending.removeValue(forKey: last.id)
            }
            let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
            state.pending[id] = download
            return (id, displaced)
        }
        displaced?.signal.send(false)
        return id
    }

    private func reconsider(_ id: UInt64) {
        let allowed = state.withLock { state -> Pending? in
            guard let download = state.pending[id], state.allows(download) else { return nil }
            return state.pending.removeValue(forKey: id)
        }
        allowed?.signal.send(true)
    }

    /// Runs an attempt. Throws its error, or `AttemptFailure.interrupted` if it is not or no longer allowed: conditions
    /// may have changed while it waited in the lane.
    func run<Value: Sendable>(
        _ priority: LivePriority, _ attempt: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard observesApplication || priority.value < .normal else { return try await attempt() }
        let download = Running(priority: priority)
        guard let id = begin(download) else { throw AttemptFailure.interrupted }
        defer {
            _ = state.withLock { $0.running.removeValue(forKey: id) }
            time?.end(for: id)
        }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await attempt() }
            group.addTask {
                try await download.interruption.value()
                throw AttemptFailure.interrupted
            }
            // The task that ends first determines the result. The group then waits for the other.
            for try await value in group { return value }
            throw CancellationError()
        }
    }

    /// Adds a running download. Returns nil if it is not allowed.
    private func begin(_ download: Running) -> UInt64? {
        let (id, conditions) = state.withLock { state -> (UInt64?, DownloadConditions) in
            guard state.conditions.allow(download.priority.value) else { return (nil, state.conditions) }
            let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
            state.running[id] = download
            return (id, state.conditions)
        }
        if let id, conditions.application == .background, download.priority.value >= .high {
            time?.begin(for: CollectionOfOne(id))
        }
        return id
    }
}

/// The conditions under which downloads run.
struct DownloadConditions: Hashable, Sendable {
    var pressure = MemoryPressureLevel.normal
    var application = ApplicationState.foreground
    var connectivity = Connectivity.online
    /// Whether the background time has expired.
    var isTimeUp = false

    /// Returns whether downloads can run, whatever the network. Low priorities need enough memory and the foreground.
    func allow(_ priority: RequestPriority) -> Bool {
        if application == .background, isTimeUp { return false }
        return priority >= .normal || application == .foreground && pressure < .warning
    }
}

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
