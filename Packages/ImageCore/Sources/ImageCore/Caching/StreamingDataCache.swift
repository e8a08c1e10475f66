/// A data cache that writes entries while their bytes arrive, and reads parts of entries.
public protocol StreamingDataCache: ImageDataCache {
    /// Starts an entry. Until it is finished, lookups find the older entry for the key.
    ///
    /// - Parameters:
    ///   - key: The name of the entry.
    ///   - expectedByteCount: The expected number of bytes, for which space is reserved; nil if unknown. More or fewer
    ///     may follow.
    func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheError) -> any DataCacheWriter

    /// Opens an entry, or returns nil. The reader keeps its bytes if the entry is then replaced or removed.
    func reader(for key: DataCacheKey) async throws(DataCacheError) -> (any DataCacheReader)?
}

/// Writes an entry. Call one method at a time.
///
/// - The byte limit holds while the entry grows. An entry that exceeds it throws `.tooLarge`.
/// - A failed writer removes the entry and the older one for the key, which is outdated. Every further call throws the
///   same failure.
/// - A writer that is cancelled or released before it is finished removes its entry and leaves the older one.
public protocol DataCacheWriter: Sendable {
    /// Appends bytes.
    func append(_ bytes: Data) async throws(DataCacheError)
    /// Makes the entry visible, atomically.
    func finish(metadata: Data, creationDate: Date) async throws(DataCacheError)
    /// Discards the entry. Does nothing after `finish` or a failure.
    func cancel() async
}

/// Reads parts of an entry.
public protocol DataCacheReader: Sendable {
    /// The length of the data in bytes.
    var byteCount: Int { get }
    /// The metadata of the entry.
    var metadata: Data { get }
    /// The time at which the bytes were created.
    var creationDate: Date { get }
    /// Returns the bytes in a range, clamped to the data; nil if they are damaged.
    func bytes(in range: Range<Int>) async throws(DataCacheError) -> Data?
}

/// An entry in memory is its own reader.
extension DataCacheEntry: DataCacheReader {
    public var byteCount: Int { data.count }

    /// Returns the bytes in a range, clamped to the data. Copies nothing if the range covers all of the data.
    public func bytes(in range: Range<Int>) -> Data? {
        let part = range.clamped(to: 0..<data.count)
        if part.count == data.count { return data }
        return data.subdata(in: data.startIndex + part.lowerBound..<data.startIndex + part.upperBound)
    }
}
