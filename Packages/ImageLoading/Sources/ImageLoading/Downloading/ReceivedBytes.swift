import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of one transfer while they arrive.
final class ReceivedBytes: Sendable {
    private let data = Mutex(Data())

    var count: Int { data.withLock { $0.count } }

    var all: Data { data.withLock { $0 } }

    /// A copy of the bytes after the first `offset`.
    func bytes(from offset: Int) -> Data {
        data.withLock { Data($0[($0.startIndex + min(offset, $0.count))...]) }
    }

    /// - Parameter expectedBytes: The announced length, if any. At most a mebibyte is reserved for it.
    func append(_ piece: Data, expectedBytes: Int?) {
        data.withLock { data in
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(min(expectedBytes ?? 0, 1 << 20))
                data.append(piece)
            }
        }
    }
}

/// The bytes of the transfers in progress, for previews.
final class DownloadsInProgress: Sendable {
    private let downloads = Mutex<[DataJobKey: ReceivedBytes]>([:])

    subscript(key: DataJobKey) -> ReceivedBytes? { downloads.withLock { $0[key] } }

    func began(_ bytes: ReceivedBytes, for key: DataJobKey) { downloads.withLock { $0[key] = bytes } }

    /// A later transfer for the same key may have begun.
    func ended(_ bytes: ReceivedBytes, for key: DataJobKey) {
        downloads.withLock { if $0[key] === bytes { $0[key] = nil } }
    }
}
