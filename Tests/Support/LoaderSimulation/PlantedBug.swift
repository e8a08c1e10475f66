/// Typical bugs, each added by a test double around the real component, to verify that the simulation finds them.
package enum PlantedBug: String, CaseIterable, Sendable {
    case sharesNothing = "two requests for one image download it twice"
    case ignoresLastCancellation = "the last caller leaves, and the download continues"
    case reportsAfterEnd = "callers that have left receive progress"
    case keepsStalePriority = "an operation keeps the priority at which it started"
    case ordersByFirstPriority = "a lane keeps the priority at which work arrived"
    case joinsCancelledOperations = "a request joins a cancelled operation and ends with it"
    case losesCaller = "a caller that joins later never receives the result"
    case restartsProgress = "progress restarts at zero"
    case runsCancelledWork = "work runs although it was cancelled while it waited"
    case ignoresZeroLimit = "a lane with the limit 0 starts work"
    case ignoresPauses = "a paused prefetcher starts requests"
    case deliversAfterCancellation = "an enqueued event is delivered after the cancellation"
    case deliversTwice = "a handler receives the result twice"
    case worsensPreviews = "a preview is made of fewer bytes than the one before"
    case storesPreviews = "a preview is stored in memory as the final image"
    case ignoresProcessors = "a processed image is returned for a plain one"
    case ignoresLimits = "a lane ignores its limit"
    case invalidatesHalf = "an invalidated loader continues its downloads"
    case startsAfterInvalidation = "an invalidated loader starts new work"

    /// The promises that the bug may break first.
    package var promises: Set<Promise> {
        switch self {
        // With two operations for a key, neither has the priority of all callers, and all calls end with the first one.
        case .sharesNothing: [.oneOperationPerKey, .highestPriority, .noUnusedWork]
        case .ignoresLastCancellation: [.noUnusedWork]
        // A call ends because it was cancelled or because it has returned.
        case .reportsAfterEnd: [.nothingAfterCancellation, .endsOnce]
        case .keepsStalePriority, .ordersByFirstPriority: [.highestPriority]
        case .joinsCancelledOperations: [.nothingAfterCancellation]
        case .losesCaller, .deliversTwice: [.endsOnce]
        case .restartsProgress, .worsensPreviews: [.monotonicProgress]
        case .runsCancelledWork: [.cancelledNeverRuns]
        case .ignoresPauses: [.pausing]
        // Late events can arrive in any order.
        case .deliversAfterCancellation: [.nothingAfterCancellation, .endsOnce, .monotonicProgress]
        case .storesPreviews, .ignoresProcessors: [.correctResult]
        case .ignoresLimits, .ignoresZeroLimit: [.limits]
        case .invalidatesHalf: [.noWorkAfterInvalidation, .noUnusedWork]
        case .startsAfterInvalidation: [.noWorkAfterInvalidation]
        }
    }
}
