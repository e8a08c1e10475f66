/// What the loader promises, as the simulation checks it at each step.
package enum Promise: String, Sendable {
    case oneEnd = "every request ends exactly once"
    case lastWord = "nothing is delivered after a cancel returns, and nobody else is cancelled"
    case rightAnswer = "a request gets what it asked for, or an error that happened"
    case forwards = "progress never goes back, and previews never get worse"
    case oneWorkPerKey = "work for one key is done once at a time, with one transfer at most"
    case noWorkForNobody = "work that nobody waits for is cancelled"
    case highestPriority = "work waits and runs at the highest priority of its waiters"
    case limits = "a lane and a host run no more at once than they may"
    case holding = "a lane that is suspended starts nothing, nor does a prefetcher that pauses"
    case endsForGood = "after invalidate() no work begins"
    case cancelledNeverRuns = "work that was cancelled in the queue never runs"
    case nothingLeft = "when all has ended nothing is left"
}

/// A promise that was broken, and how.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package var promise: Promise
    package var detail: String

    init(_ promise: Promise, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    package var description: String { "broken: \(promise.rawValue) (\(detail))" }
}
