/// Maintenance of a store of bytes: its size, and removal.
///
/// Promises:
/// - What is removed is not found any more when the call has returned; entries that are stored meanwhile may stay.
/// - Throws only for a broken store.
public protocol MaintainedStore: Sendable {
    func removeAll() async throws(DataCacheFailure)

    /// Removes what was neither stored nor read for longer than `age`.
    func removeAll(unusedFor age: Duration) async throws(DataCacheFailure)

    /// The bytes that the store takes now, with all that belongs to it.
    func byteCount() async throws(DataCacheFailure) -> Int
}
