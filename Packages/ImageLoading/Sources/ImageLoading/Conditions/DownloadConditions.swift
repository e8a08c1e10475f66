import ImageCore

/// What stands around the loader's downloads, and which of them may run. Pure.
struct DownloadConditions: Hashable, Sendable {
    var pressure = MemoryPressureLevel.normal
    var application = ApplicationState.foreground
    var connectivity = Connectivity.online
    /// The platform gives no time in the background any more.
    var isTimeUp = false

    /// What nobody waits for much stops while memory is short or nobody sees the application; all stops when the process is about to.
    func admits(_ priority: RequestPriority) -> Bool {
        if application == .background, isTimeUp { return false }
        return priority >= .normal || application == .foreground && pressure < .warning
    }
}

/// The downloads that wait until conditions let them run, and which of them go on after each event. Pure.
struct DownloadWaitingRoom: Sendable {
    struct Waiter: Sendable {
        var priority: RequestPriority
        /// It failed for lack of a network.
        var needsNetwork: Bool
    }

    enum Arrival: Hashable, Sendable {
        case enters
        /// It waits; another, less urgent, does not any more, where there were too many.
        case waits(displaced: UInt64?)
        /// Too many wait that are as urgent.
        case refused
    }

    private(set) var conditions = DownloadConditions()
    private let maxForNetwork: Int
    private var heldBack: [UInt64: Waiter] = [:]
    private var forNetwork: [UInt64: Waiter] = [:]

    /// - Parameter maxForNetwork: how many that failed for lack of a network wait at most.
    init(maxForNetwork: Int) { self.maxForNetwork = maxForNetwork }

    var isEmpty: Bool { heldBack.isEmpty && forNetwork.isEmpty }

    mutating func arrived(_ id: UInt64, _ waiter: Waiter) -> Arrival {
        if mayGo(waiter) { return .enters }
        guard waiter.needsNetwork else {
            heldBack[id] = waiter
            return .waits(displaced: nil)
        }
        var displaced: UInt64?
        if forNetwork.count >= maxForNetwork {
            guard let last = lastForNetwork, last.priority < waiter.priority else { return .refused }
            forNetwork[last.id] = nil
            displaced = last.id
        }
        forNetwork[id] = waiter
        return .waits(displaced: displaced)
    }

    mutating func left(_ id: UInt64) { (heldBack[id], forNetwork[id]) = (nil, nil) }

    /// True when it goes on now.
    mutating func reprioritised(_ id: UInt64, to priority: RequestPriority) -> Bool {
        heldBack[id]?.priority = priority
        forNetwork[id]?.priority = priority
        guard let waiter = heldBack[id] ?? forNetwork[id], mayGo(waiter) else { return false }
        left(id)
        return true
    }

    /// Returns who goes on, the most urgent first, in the order of arrival within one priority.
    mutating func changed(_ event: (inout DownloadConditions) -> Void) -> [UInt64] {
        event(&conditions)
        let free = heldBack.merging(forNetwork) { held, _ in held }.filter { mayGo($0.value) }
        for id in free.keys { left(id) }
        return free.sorted { ($1.value.priority, $0.key) < ($0.value.priority, $1.key) }.map(\.key)
    }

    private func mayGo(_ waiter: Waiter) -> Bool {
        conditions.admits(waiter.priority) && (!waiter.needsNetwork || conditions.connectivity == .online)
    }

    /// The least urgent that waits for the network, the last to come of those.
    private var lastForNetwork: (id: UInt64, priority: RequestPriority)? {
        forNetwork.min { ($0.value.priority, $1.key) < ($1.value.priority, $0.key) }.map { ($0.key, $0.value.priority) }
    }
}
