/// What the loader promises, as the simulation checks it after each step.
package enum Promise: String, Sendable {
    case oneEnd = "every request ends exactly once, and a cancelled call returns at once"
    case lastWord = "nothing is delivered after a cancellation, and nothing else is cancelled"
    case rightAnswer = "a request receives the image that it asked for, or an error that occurred"
    case forwards = "progress never goes back, and previews never get worse"
    case oneWorkPerKey = "there is one operation per key, with one transfer at most"
    case noUnusedWork = "work without callers is cancelled"
    case highestPriority =
        "work waits and runs at the highest priority of its callers, and higher priority starts first"
    case limits = "a lane, a host and a prefetcher run no more at once than they may"
    case holding = "a suspended lane and a paused prefetcher start nothing"
    case endsForGood = "no work starts after invalidate()"
    case cancelledNeverRuns = "work that is cancelled while it waits never runs"
    case nothingLeft = "nothing is left in the end"
}

/// A broken promise.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package var promise: Promise
    package var detail: String

    init(_ promise: Promise, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    package var description: String { "broken: \(promise.rawValue) (\(detail))" }
}
