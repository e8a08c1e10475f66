import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stored body. The first chunk is read in advance, so that damage in a small body is a miss instead of a failure.
struct StoredBody: Sendable {
    private let reader: any DataCacheReader
    private let prefix: Data

    /// Opens a body. Returns nil if it is missing or damaged.
    init?(in cache: any DataCache, _ key: DataCacheKey) async throws(DataCacheFailure) {
        let reader: (any DataCacheReader)?
        if let streaming = cache as? any StreamingDataCache {
            reader = try await streaming.reader(for: key)
        } else {
            reader = try await cache.entry(for: key)
        }
        guard let reader, let prefix = try await reader.bytes(in: 0..<StoredChunks.chunkBytes) else { return nil }
        self.reader = reader
        self.prefix = prefix
    }

    var byteCount: Int { reader.byteCount }

    /// Returns these bytes of the body, in chunks.
    func body(in range: Range<Int>) -> TransportBody {
        if range == 0..<prefix.count { return TransportBody(prefix) }
        if range.upperBound <= prefix.count { return TransportBody(prefix.subdata(in: range)) }
        let chunks = StoredChunks(reader, range, prefix: prefix)
        return TransportBody(pull: { () async throws(TransportFailure) in try await chunks.next() })
    }
}

/// Reads a part of an entry in chunks.
private final class StoredChunks: Sendable {
    static let chunkBytes = 256 << 10

    private let reader: any DataCacheReader
    private let end: Int
    /// The offset to read next, and the bytes that are already in memory from there.
    private let rest: Mutex<(offset: Int, buffered: Data)>

    /// Creates a reader.
    ///
    /// - Parameter prefix: The bytes that have been read from the start of the entry.
    init(_ reader: any DataCacheReader, _ range: Range<Int>, prefix: Data) {
        self.reader = reader
        end = range.upperBound
        rest = Mutex((range.lowerBound, prefix.dropFirst(range.lowerBound)))
    }

    /// Returns the next chunk, or nil at the end.
    ///
    /// - Throws: `.closedEarly` if the entry can no longer be read, and `.cancelled` if the task is cancelled.
    func next() async throws(TransportFailure) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let (start, buffered) = rest.withLock { $0 }
        guard start < end else { return nil }
        let chunk = buffered.isEmpty ? await bytes(in: start..<min(end, start + Self.chunkBytes)) : Data(buffered)
        guard let chunk, !chunk.isEmpty else { throw .closedEarly(received: start, expected: end) }
        rest.withLock { $0 = (start + chunk.count, Data()) }
        return chunk
    }

    private func bytes(in range: Range<Int>) async -> Data? {
        do {
            return try await reader.bytes(in: range)
        } catch {
            return nil
        }
    }
}
