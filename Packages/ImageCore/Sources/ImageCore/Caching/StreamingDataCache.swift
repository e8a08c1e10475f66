#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cache of encoded bytes that takes an entry while it is still coming in, and gives a part of one without the rest.
public protocol StreamingDataCache: DataCache {
    /// Begins an entry. Nobody sees it before it is finished; the older one under the key is served until then.
    ///
    /// - Parameter expectedByteCount: how many bytes of data are to come, if that is known: space for them is made at once.
    ///   More or fewer may come.
    func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheFailure) -> any DataCacheWriter

    /// Opens an entry; nil when absent. It keeps its bytes for the reader, though it be replaced or removed meanwhile.
    func reader(for key: DataCacheKey) async throws(DataCacheFailure) -> (any DataCacheReader)?
}

/// An entry on its way into a cache. Its methods are called one after the other.
///
/// - The byte budget holds while it grows. What outgrows all of it throws `.tooLarge`.
/// - A writer that failed has given up: nothing is left of the entry, nor of the older one under the key, which is out of date. Every
///   further call throws the same failure.
/// - One that is cancelled, or let go unfinished, leaves nothing, and leaves the older entry.
public protocol DataCacheWriter: Sendable {
    func append(_ bytes: Data) async throws(DataCacheFailure)
    /// Puts the entry in its place, in one step.
    func finish(metadata: Data, createdAt: Date) async throws(DataCacheFailure)
    /// Gives the entry up. Does nothing after the end.
    func cancel() async
}

/// An entry opened to read parts of it.
public protocol DataCacheReader: Sendable {
    /// The length of the data.
    var byteCount: Int { get }
    var metadata: Data { get }
    var createdAt: Date { get }
    /// The bytes in a part of the data, as far as it has any there; nil when they are damaged.
    func bytes(in range: Range<Int>) async throws(DataCacheFailure) -> Data?
}

/// A whole entry in memory can be read like an open one.
extension DataCacheEntry: DataCacheReader {
    public var byteCount: Int { data.count }

    /// Copies nothing if the range covers all of the data.
    public func bytes(in range: Range<Int>) -> Data? {
        let part = range.clamped(to: 0..<data.count)
        if part.count == data.count { return data }
        return data.subdata(in: data.startIndex + part.lowerBound..<data.startIndex + part.upperBound)
    }
}
