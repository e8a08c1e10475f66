import ImageCore
import Synchronization

/// Where downloads wait until memory, the application and the network let them run, and where those that run are broken off: the thin
/// shell around `DownloadWaitingRoom`. Nobody is called while the lock is held.
final class DownloadDoor: Sendable {
    private struct Running: Sendable {
        var priority: @Sendable () -> RequestPriority
        var breakOff: @Sendable () -> Void
    }

    private enum Arrival: Sendable {
        case enters, refused
        case waits(Permission)
    }

    private struct State: Sendable {
        var room: DownloadWaitingRoom
        var waiting: [UInt64: Permission] = [:]
        var running: [UInt64: Running] = [:]
        var lastID: UInt64 = 0

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let state: Mutex<State>
    private let executor: (any TaskExecutor)?
    private let time: BackgroundTime?
    /// Whether the application may go into the background: then any download may be broken off, else only what is less than normal.
    private let seesApplication: Bool

    init(
        maxForNetwork: Int, seesApplication: Bool, time: (any BackgroundTimeProvider)?, executor: (any TaskExecutor)?
    ) {
        state = Mutex(State(room: DownloadWaitingRoom(maxForNetwork: maxForNetwork)))
        self.seesApplication = seesApplication
        self.executor = executor
        self.time = time.map(BackgroundTime.init)
        self.time?.onTimeUp { [weak self] in
            self?.change { if $0.application == .background { $0.isTimeUp = true } }
        }
    }

    var isOffline: Bool { conditions.connectivity == .offline }

    private var conditions: DownloadConditions { state.withLock { $0.room.conditions } }

    // MARK: Conditions

    /// Lets those go on that may now, and breaks off what may not run any more.
    func change(_ event: (inout DownloadConditions) -> Void) {
        let (opened, running, conditions) = state.withLock { state in
            let opened = state.room.changed(event).compactMap { state.waiting.removeValue(forKey: $0) }
            return (opened, state.running, state.room.conditions)
        }
        for waiting in opened { waiting.give() }
        let priorities = running.mapValues { $0.priority() }
        for (id, priority) in priorities where !conditions.admits(priority) { running[id]?.breakOff() }
        if conditions.application == .foreground {
            time?.giveBack()
        } else if !conditions.isTimeUp {
            time?.isNeeded(by: priorities.filter { $0.value >= .high }.keys)
        }
    }

    // MARK: Waiting

    /// Returns when the work may run, true, or when too many as urgent wait for the network, false. Throws when the work is cancelled.
    ///
    /// - Parameter onWait: called when it has to wait.
    func enter(_ work: any SharedWork, needsNetwork: Bool = false, onWait: () -> Void = {}) async throws -> Bool {
        let waiter = DownloadWaitingRoom.Waiter(priority: work.priority, needsNetwork: needsNetwork)
        let (id, arrival) = arrive(waiter)
        switch arrival {
        case .enters: return true
        case .refused: return false
        case .waits(let permission):
            onWait()
            // Tells the present priority at once: none is missed.
            work.onPriorityChange { [weak self] in self?.reprioritise(id, to: $0) }
            return try await withTaskCancellationHandler {
                try await permission.value()
            } onCancel: {
                leave(id)
                permission.cancel()
            }
        }
    }

    private func arrive(_ waiter: DownloadWaitingRoom.Waiter) -> (UInt64, Arrival) {
        let (id, arrival, displaced) = state.withLock { state -> (UInt64, Arrival, Permission?) in
            let id = state.nextID()
            switch state.room.arrived(id, waiter) {
            case .enters: return (id, .enters, nil)
            case .refused: return (id, .refused, nil)
            case .waits(let displaced):
                let permission = Permission()
                state.waiting[id] = permission
                return (id, .waits(permission), displaced.flatMap { state.waiting.removeValue(forKey: $0) })
            }
        }
        displaced?.refuse()
        return (id, arrival)
    }

    private func reprioritise(_ id: UInt64, to priority: RequestPriority) {
        let opened = state.withLock { state in
            state.room.reprioritised(id, to: priority) ? state.waiting.removeValue(forKey: id) : nil
        }
        opened?.give()
    }

    private func leave(_ id: UInt64) {
        state.withLock { state in
            state.room.left(id)
            state.waiting[id] = nil
        }
    }

    // MARK: Running

    /// Makes an attempt. When conditions forbid it, before or meanwhile, it ends with `AttemptFailure.brokenOff`.
    func run<Value: Sendable>(
        _ work: any SharedWork, _ attempt: @escaping @Sendable () async throws(AttemptFailure) -> Value
    ) async throws(AttemptFailure) -> Value {
        guard seesApplication || work.priority < .normal else { return try await attempt() }
        let line = CancellationLine()
        guard let id = begin(Running(priority: { work.priority }, breakOff: { line.cancel() })) else {
            throw .brokenOff
        }
        defer { end(id) }
        let task = Task(executorPreference: executor) { () -> Result<Value, AttemptFailure> in
            do throws(AttemptFailure) {
                return .success(try await attempt())
            } catch {
                return .failure(error)
            }
        }
        line.attach { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if case .failure = result, line.isCancelled, !Task.isCancelled { throw .brokenOff }
        return try result.get()
    }

    /// Nil when conditions forbid it.
    private func begin(_ running: Running) -> UInt64? {
        let priority = running.priority()
        let (id, isInBackground) = state.withLock { state -> (UInt64?, Bool) in
            guard state.room.conditions.admits(priority) else { return (nil, false) }
            let id = state.nextID()
            state.running[id] = running
            return (id, state.room.conditions.application == .background)
        }
        if let id, isInBackground, priority >= .high { time?.isNeeded(by: CollectionOfOne(id)) }
        return id
    }

    private func end(_ id: UInt64) {
        let ended = state.withLock { $0.running.removeValue(forKey: id) }
        _ = consume ended
        time?.isNotNeeded(by: id)
    }
}
