import ImageCore

/// The handler of a task's events, and its owner, which is held weakly.
struct EventReceiver: Sendable {
    let delivery: Delivery
    /// False if only the result is wanted.
    let wantsAll: Bool
    let hasOwner: @Sendable () -> Bool
    /// Does nothing if the owner is gone.
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
