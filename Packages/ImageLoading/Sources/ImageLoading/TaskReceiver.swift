import ImageCore

/// Who is told by being called what comes to a task.
struct TaskReceiver: ~Copyable, Sendable {
    /// What it is to be told, with all that it holds, so that it can be let go of under a lock.
    struct Turn {
        var owner: (any AnyObject & Sendable)?
        var tell: @Sendable (any AnyObject & Sendable, consuming ImageTask.Event) -> Void
        var event: ImageTask.Event
        var delivery: Delivery

        var isLast: Bool {
            if case .finished = event { true } else { false }
        }
    }

    weak let owner: (any AnyObject & Sendable)?
    let delivery: Delivery
    /// Whether it is told progress and previews, too, and not the end alone.
    let wantsAll: Bool
    /// Tells its owner an event.
    let tell: @Sendable (any AnyObject & Sendable, consuming ImageTask.Event) -> Void
    var cursor = TaskTale.Cursor()
    var isBeingTold = false

    /// - Parameter owner: held weakly.
    init<Owner: AnyObject & Sendable>(
        for owner: Owner, on delivery: Delivery, receive: @escaping @Sendable (Owner, ImageTask.Event) -> Void
    ) {
        self.owner = owner
        self.delivery = delivery
        wantsAll = true
        // Sound: it is told with its owner.
        tell = { receive(unsafe unsafeDowncast($0, to: Owner.self), $1) }
    }

    /// One that is told the end alone.
    ///
    /// - Parameter owner: held weakly.
    init<Owner: AnyObject & Sendable>(
        for owner: Owner, on delivery: Delivery,
        _ completion: @escaping @Sendable (Owner, Result<LoadedImage, ImageError>) -> Void
    ) {
        self.owner = owner
        self.delivery = delivery
        wantsAll = false
        cursor = .beforeEnd
        tell = { owner, event in
            guard case .finished(let result) = consume event else { return }
            // Sound: it is told with its owner.
            completion(unsafe unsafeDowncast(owner, to: Owner.self), result)
        }
    }

    /// Where it is to be called, unless it is being called.
    mutating func begin() -> Delivery? {
        if isBeingTold { return nil }
        isBeingTold = true
        return delivery
    }

    /// What it is to be told next. When that is nothing, it is not being told any more.
    mutating func turn(_ tale: borrowing TaskTale) -> Turn? {
        if case .tell(let event) = tale.next(&cursor) {
            return Turn(owner: owner, tell: tell, event: event, delivery: delivery)
        }
        isBeingTold = false
        return nil
    }
}
