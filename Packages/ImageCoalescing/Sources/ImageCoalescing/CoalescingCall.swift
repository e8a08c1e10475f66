import ImageCore

/// One who comes, with the key, whose type only the call knows: generic code is not specialised across modules, and the
/// books are where a waiter's time goes.
protocol CoalescingCall: AnyObject, Sendable {
    var name: WaiterID { get }
    /// With which it comes.
    var priority: RequestPriority { get }
    var onProgress: @Sendable (WorkProgress) -> Void { get }
    var keyHash: Int { get }
    /// The ticket, once it has one. Read and written under the coalescer's lock.
    var ticket: JoinTicket? { get set }

    func hasKey(of other: any CoalescingCall) -> Bool
    /// Tells what the work came to. Called once.
    func answer(_ outcome: CoalescingBooks.Outcome)
    /// Begins the work. Returns what is called if it is over before it proceeds.
    func begin(_ job: CoalescedJob) -> @Sendable () -> Void
}

/// The key of a call.
struct CallKey: Hashable, Sendable {
    private let call: any CoalescingCall

    init(_ call: any CoalescingCall) { self.call = call }

    static func == (left: CallKey, right: CallKey) -> Bool {
        left.call === right.call || left.call.keyHash == right.call.keyHash && left.call.hasKey(of: right.call)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(call.keyHash) }
}
