/// A store of bytes whose size can be measured and whose entries can be removed.
///
/// Promises:
/// - Removed entries are not found after the call has returned. Entries that are stored during the call may stay.
/// - Operations throw only if the store is broken.
public protocol MaintainedStore: Sendable {
    /// Removes all entries.
    func removeAll() async throws(DataCacheFailure)

    /// Removes the entries that were neither stored nor read for longer than `age`.
    func removeAll(unusedFor age: Duration) async throws(DataCacheFailure)

    /// Returns the size of the store in bytes, including its index.
    func byteCount() async throws(DataCacheFailure) -> Int
}
