/// A promise of the loader that the simulation checks after each step.
package enum Promise: String, Sendable {
    case endsOnce = "every request ends exactly once, and a cancelled call returns at once"
    case nothingAfterCancellation = "nothing is delivered after a cancellation, and nothing else ends as cancelled"
    case correctResult = "a request receives the requested image, or an error that occurred"
    case monotonicProgress = "progress never decreases, and previews never get worse"
    case oneOperationPerKey = "there is one operation per key, with one transfer at most"
    case noUnusedWork = "work without callers is cancelled"
    case highestPriority =
        "work waits and runs at the highest priority of its callers, and higher priority starts first"
    case limits = "a lane, a server and a prefetcher never exceed their limits"
    case pausing = "a paused prefetcher starts nothing"
    case noWorkAfterInvalidation = "no work starts after invalidate()"
    case cancelledNeverRuns = "work that is cancelled while it waits never runs"
    case noLeaks = "no calls, work or objects are left at the end"
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
