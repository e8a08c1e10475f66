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
    private let reader: any DataCacheReader
    private let beginning: Data

    /// Nil when it is absent or damaged.
    init?(in cache: any DataCache, _ key: DataCacheKey) async throws(DataCacheFailure) {
        let reader: (any DataCacheReader)?
        if let streaming = cache as? any StreamingDataCache {
            reader = try await streaming.reader(for: key)
        } else {
            reader = try await cache.entry(for: key)
        }
        guard let reader, let beginning = try await reader.bytes(in: 0..<StoredPieces.pieceBytes) else { return nil }
        self.reader = reader
        self.beginning = beginning
    }

    var byteCount: Int { reader.byteCount }

    /// These bytes of it, piece by piece.
    func body(in range: Range<Int>) -> TransportBody {
        if range == 0..<beginning.count { return TransportBody(beginning) }
        if range.upperBound <= beginning.count { return TransportBody(beginning.subdata(in: range)) }
        let pieces = StoredPieces(reader, range, beginning: beginning)
        return TransportBody(pull: { () async throws(TransportFailure) in try await pieces.next() })
    }
}

/// Reads a part of an entry piece by piece.
private final class StoredPieces: Sendable {
    static let pieceBytes = 256 << 10

    private let reader: any DataCacheReader
    private let end: Int
    /// Where to go on, and what has been read from there.
    private let rest: Mutex<(offset: Int, ahead: Data)>

    /// - Parameter beginning: what has been read of the entry.
    init(_ reader: any DataCacheReader, _ range: Range<Int>, beginning: Data) {
        self.reader = reader
        end = range.upperBound
        rest = Mutex((range.lowerBound, beginning.dropFirst(range.lowerBound)))
    }

    /// Throws `.closedEarly` where the entry can't be read any more.
    func next() async throws(TransportFailure) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let (start, ahead) = rest.withLock { $0 }
        guard start < end else { return nil }
        let piece = ahead.isEmpty ? await bytes(in: start..<min(end, start + Self.pieceBytes)) : Data(ahead)
        guard let piece, !piece.isEmpty else { throw .closedEarly(received: start, expected: end) }
        rest.withLock { $0 = (start + piece.count, Data()) }
        return piece
    }

    private func bytes(in range: Range<Int>) async -> Data? {
        do {
            return try await reader.bytes(in: range)
        } catch {
            return nil
        }
    }
}
