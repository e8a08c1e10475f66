public import ImageCore

/// Measures and empties what a loader stores on disk. Entries that are stored meanwhile may stay.
public protocol DiskMaintenance: Sendable {
    /// Removes all entries.
    func removeAll() async throws(DataCacheError)
    /// Removes the entries that were neither stored nor read for longer than a time; by default, all.
    func removeAll(unusedFor age: Duration) async throws(DataCacheError)
    /// Returns the size in bytes, including the index; by default nil, which means unknown.
    func byteCount() async throws(DataCacheError) -> Int?
}

extension DiskMaintenance {
    public func removeAll(unusedFor age: Duration) async throws(DataCacheError) { try await removeAll() }
    public func byteCount() async throws(DataCacheError) -> Int? { nil }
}
