import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TransportBody {
    /// A body that is all there from the beginning.
    public init(_ data: Data) {
        let rest = OnePiece(data)
        self.init(pull: { () async throws(TransportFailure) in try await rest.take() })
    }
}

/// Data that is given out once.
private final class OnePiece: Sendable {
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
