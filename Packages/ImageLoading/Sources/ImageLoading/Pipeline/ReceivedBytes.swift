import ImageCore
import Synchronization

/// The received bytes of an attempt in progress.
final class ReceivedBytes: Sendable {
    private let data = Mutex(Data())

    var count: Int { data.withLock { $0.count } }

    var all: Data { data.withLock { $0 } }

    /// Returns a copy of the bytes from `offset` on.
    func bytes(from offset: Int) -> Data {
        data.withLock { Data($0[($0.startIndex + min(offset, $0.count))...]) }
    }

    /// - Parameter expectedByteCount: The announced length, if any. At most 16 MB are reserved.
    func append(_ piece: Data, expectedByteCount: Int?) {
        data.withLock { data in
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(min(max(0, expectedByteCount ?? 0), 16_000_000))
                data.append(piece)
            }
        }
    }
}
