import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The received bytes of a transfer in progress.
final class ReceivedBytes: Sendable {
    private let data = Mutex(Data())

    var count: Int { data.withLock { $0.count } }

    var all: Data { data.withLock { $0 } }

    /// Returns a copy of the bytes from `offset` on.
    func bytes(from offset: Int) -> Data {
        data.withLock { Data($0[($0.startIndex + min(offset, $0.count))...]) }
    }

    /// - Parameter expectedBytes: The announced length, if any. At most 16 MiB are reserved.
    func append(_ piece: Data, expectedBytes: Int?) {
        data.withLock { data in
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(min(expectedBytes ?? 0, 16 << 20))
                data.append(piece)
            }
        }
    }
}
