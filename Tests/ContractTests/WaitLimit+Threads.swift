@testable import ImageContractTesting

extension WaitLimit {
    /// Runs rules on a subject with threads of its own, which may wait long for a processor while tasks yield.
    static func forThreads(_ check: () async throws -> Void) async rethrows {
        try await $yields.withValue(20 * yields, operation: check)
    }
}
