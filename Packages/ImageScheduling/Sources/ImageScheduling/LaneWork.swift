import ImageCore

/// Work that waits or runs in a lane.
struct LaneWork: Sendable {
    let server: String?
    /// Whether its priority is below `.normal`, or was when it started.
    let isLow: Bool
    /// When it started, or moved the last `StallLimit.bytes`.
    var lastMove = Duration.zero
    /// The number of bytes since then.
    var movedBytes = 0
    /// Whether it has lost its place in the limit of the lane.
    var isStalled = false

    init(_ priority: RequestPriority, _ server: String?) {
        self.server = server
        isLow = priority < .normal
    }
}

/// An amount of work, in all and below `.normal` priority.
struct WorkCount: Sendable {
    private(set) var all = 0
    private var low = 0

    mutating func add(_ change: Int, _ work: LaneWork) {
        all += change
        if work.isLow { low += change }
    }

    /// Returns whether low work leaves `reserved` places of a limit free if it takes another one. It may always have one.
    func lowLeaves(_ reserved: Int, of limit: Int) -> Bool { low < max(1, limit - max(0, reserved)) }
}
