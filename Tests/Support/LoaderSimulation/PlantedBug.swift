import ImageCore

/// The classic mistakes, each made by a double in front of the real part, to show that the simulation finds it.
package enum PlantedBug: String, CaseIterable, Sendable {
    case sharesNothing = "two requests for one picture download it twice"
    case forgetsTheLastCancel = "the last waiter leaves, and the download goes on"
    case tellsWhoHasLeft = "progress is told to whoever has left"
    case keepsAStalePriority = "work keeps the priority at which it began"
    case joinsWhatWindsDown = "a request joins work that is being cancelled, and ends with it"
    case losesAWaiter = "whoever joins later is never answered"
    case goesBack = "progress starts again from nothing"
    case runsCancelledWork = "work that was cancelled in the queue runs all the same"
    case ignoresSuspension = "a suspended lane goes on"
    case ignoresPauses = "a prefetcher that pauses goes on"
    case deliversLate = "what waits where handlers are called is delivered though the task was cancelled"
    case worsensPreviews = "a preview shows less than the one before"
    case forgetsSteps = "a processed picture is taken for a plain one"
    case closesHalf = "an invalidated loader still fetches originals"

    /// What of the loader's promises it breaks. Who has left was cancelled, or has been answered; who left unnoticed is told what the
    /// others are told. Whoever ends with cancelled work is told so where it waits for a picture, and gets an error that nobody simulated
    /// where work of its own waited for the original. What is delivered late comes in any order.
    package var promises: Set<Promise> {
        switch self {
        case .sharesNothing: [.oneWorkPerKey, .highestPriority]
        case .forgetsTheLastCancel: [.noWorkForNobody, .lastWord]
        case .tellsWhoHasLeft: [.lastWord, .oneEnd]
        case .joinsWhatWindsDown: [.lastWord, .rightAnswer]
        case .keepsAStalePriority: [.highestPriority]
        case .losesAWaiter: [.oneEnd]
        case .goesBack: [.forwards]
        case .runsCancelledWork: [.cancelledNeverRuns]
        case .ignoresSuspension, .ignoresPauses: [.holding]
        case .deliversLate: [.lastWord, .oneEnd, .forwards]
        case .worsensPreviews: [.forwards]
        case .forgetsSteps: [.rightAnswer]
        case .closesHalf: [.endsForGood, .noWorkForNobody]
        }
    }

    func planted<Key: Hashable & Sendable, Value: Sendable>(
        in base: any RequestCoalescer<Key, Value>, _ world: World
    ) -> any RequestCoalescer<Key, Value> {
        switch self {
        case .runsCancelledWork, .ignoresSuspension, .ignoresPauses, .deliversLate, .worsensPreviews, .forgetsSteps:
            base
        default: FaultyCoalescer(base, self, world: world)
        }
    }

    func planted(in base: any ImageCache) -> any ImageCache {
        self == .forgetsSteps ? ForgetfulCache(base: base) : base
    }

    func planted(in base: any WorkScheduler) -> any WorkScheduler {
        self == .runsCancelledWork ? DeafScheduler(base: base) : base
    }
}
