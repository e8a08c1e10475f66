import ImageCore

/// The handler of a task's events, and a weak reference to its owner.
struct EventReceiver: Sendable {
    let delivery: Delivery
    /// Whether it receives all events, or only the result.
    let wantsAll: Bool
    let hasOwner: @Sendable () -> Bool
    /// Does nothing if the owner was released.
    let receive: @Sendable (ImageTask.Event) -> Void
    var cursor: TaskEvents.Cursor
    /// Whether a delivery is enqueued or running.
    var isDelivering = false

    init<Owner: AnyObject & Sendable>(
        for owner: Owner, on delivery: Delivery, wantsAll: Bool = true,
        receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) {
        self.delivery = delivery
        self.wantsAll = wantsAll
        cursor = wantsAll ? TaskEvents.Cursor() : .beforeResult
        hasOwner = { [weak owner] in owner != nil }
        self.receive = { [weak owner] event in
            if let owner { receive(owner, event) }
        }
    }
}
