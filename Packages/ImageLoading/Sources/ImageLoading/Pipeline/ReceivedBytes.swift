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

/// The received bytes of all transfers in progress, for previews.
final class DownloadsInProgress: Sendable {
    private let downloads = Mutex<[DataJobKey: ReceivedBytes]>([:])

    subscript(key: DataJobKey) -> ReceivedBytes? { downloads.withLock { $0[key] } }

    func began(_ bytes: ReceivedBytes, for key: DataJobKey) { downloads.withLock { $0[key] = bytes } }

    /// Removes a transfer, unless a later one for the same key has replaced it.
    func ended(_ bytes: ReceivedBytes, for key: DataJobKey) {
        downloads.withLock { if $0[key] === bytes { $0[key] = nil } }
    }
}
