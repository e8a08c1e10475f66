import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body that is all there from the beginning: given out once, then the end.
final class OnePiece: Sendable {
    private let rest: Mutex<Data>

    init(_ data: Data) { rest = Mutex(data) }

    func take() async throws(TransportFailure) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let piece = rest.withLock { rest in
            defer { rest = Data() }
            return rest
        }
        return piece.isEmpty ? nil : piece
    }
}
