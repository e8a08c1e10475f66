/// Classic mistakes, each made by a double in front of the real part, to show that the simulation finds them.
package enum PlantedBug: String, CaseIterable, Sendable {
    case sharesNothing = "two requests for one image download it twice"
    case forgetsTheLastCancel = "the last caller leaves, and the download continues"
    case reportsAfterTheEnd = "callers that have left receive progress"
    case keepsAStalePriority = "an operation keeps the priority at which it started"
    case ordersByFirstPriority = "a lane keeps the priority at which work arrived"
    case joinsCancelledOperations = "a request joins a cancelled operation, and ends with it"
    case losesAWaiter = "a caller that joins later never receives the result"
    case restartsProgress = "progress starts again from nothing"
    case runsCancelledWork = "work runs although it was cancelled while it waited"
    case ignoresSuspension = "a suspended lane starts work"
    case ignoresPauses = "a paused prefetcher starts requests"
    case deliversLate = "an event that waits for its delivery is delivered after the cancellation"
    case answersTwice = "a handler receives the result twice"
    case worsensPreviews = "a preview shows less than the one before"
    case storesPreviews = "a preview is stored in memory as the final image"
    case ignoresProcessors = "a processed image is returned for a plain one"
    case ignoresLimits = "a lane runs all work at once"
    case closesHalf = "an invalidated loader continues its downloads"
    case reopens = "an invalidated loader starts new work"

    /// The promises that it may be found to break first.
    package var promises: Set<Promise> {
        switch self {
        // With two operations for a key, neither has the priority of all callers, and the end of one answers all.
        case .sharesNothing: [.oneWorkPerKey, .highestPriority, .noUnusedWork]
        case .forgetsTheLastCancel: [.noUnusedWork]
        // A call is over because it was cancelled or because it has returned.
        case .reportsAfterTheEnd: [.lastWord, .oneEnd]
        case .keepsAStalePriority, .ordersByFirstPriority: [.highestPriority]
        case .joinsCancelledOperations: [.lastWord]
        case .losesAWaiter, .answersTwice: [.oneEnd]
        case .restartsProgress, .worsensPreviews: [.forwards]
        case .runsCancelledWork: [.cancelledNeverRuns]
        case .ignoresSuspension, .ignoresPauses: [.holding]
        // Late events arrive in any order.
        case .deliversLate: [.lastWord, .oneEnd, .forwards]
        case .storesPreviews, .ignoresProcessors: [.rightAnswer]
        case .ignoresLimits: [.limits, .holding]
        case .closesHalf: [.endsForGood, .noUnusedWork]
        case .reopens: [.endsForGood]
        }
    }
}
