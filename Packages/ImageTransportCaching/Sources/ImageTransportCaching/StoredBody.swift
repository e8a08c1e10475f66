import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body found in a cache. Its beginning has been read, and small ones are all beginning: damage there is a miss and no failure.
struct StoredBody: Sendable {
    let byteCount: Int
    let body: TransportBody

    /// Nil when it is absent or damaged.
    init?(in cache: any DataCache, _ key: DataCacheKey) async throws(DataCacheFailure) {
        guard let streaming = cache as? any StreamingDataCache else {
            guard let data = try await cache.entry(for: key)?.data else { return nil }
            (byteCount, body) = (data.count, TransportBody(data))
            return
        }
        guard let reader = try await streaming.reader(for: key), let pieces = try await StoredPieces(reader) else {
            return nil
        }
        byteCount = reader.byteCount
        body = TransportBody(pull: { () async throws(TransportFailure) in try await pieces.next() })
    }
}

/// Reads an entry piece by piece.
private final class StoredPieces: Sendable {
    private static let pieceBytes = 256 << 10

    private let reader: any DataCacheReader
    /// What was read and not yet given out, and where to go on.
    private let ahead: Mutex<(piece: Data, offset: Int)>

    init?(_ reader: any DataCacheReader) async throws(DataCacheFailure) {
        guard let first = try await reader.bytes(in: 0..<Self.pieceBytes) else { return nil }
        self.reader = reader
        ahead = Mutex((first, first.count))
    }

    /// Throws `.closedEarly` where the entry can't be read any more.
    func next() async throws(TransportFailure) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let (piece, offset) = ahead.withLock { ahead in
            defer { ahead.piece = Data() }
            return ahead
        }
        if !piece.isEmpty { return piece }
        guard offset < reader.byteCount else { return nil }
        guard let next = await bytes(in: offset..<offset + Self.pieceBytes), !next.isEmpty else {
            throw .closedEarly(received: offset, expected: reader.byteCount)
        }
        ahead.withLock { $0.offset += next.count }
        return next
    }

    private func bytes(in range: Range<Int>) async -> Data? {
        do {
            return try await reader.bytes(in: range)
        } catch {
            return nil
        }
    }
}
