import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The bytes of one transfer while they come in: one appends, any number look.
package final class ReceivedBytes: Sendable {
    private let data = Mutex(Data())

    package init() {}

    package var count: Int { data.withLock { $0.count } }

    /// All that has come, without a copy.
    package var all: Data { data.withLock { $0 } }

    /// A copy of what came after the first `offset` bytes.
    package func bytes(from offset: Int) -> Data {
        data.withLock { Data($0[($0.startIndex + min(offset, $0.count))...]) }
    }

    /// - Parameter expectedBytes: the length announced, if any: a claim, which buys at most a mebibyte ahead of the bytes themselves.
    package func append(_ piece: Data, expectedBytes: Int?) {
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

extension ReceivedBytes: Hashable {
    /// The same transfer, not the same bytes.
    package static func == (left: ReceivedBytes, right: ReceivedBytes) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
