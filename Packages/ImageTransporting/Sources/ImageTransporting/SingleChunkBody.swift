import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TransportBody {
    /// Creates a body of bytes that are already in memory.
    public init(_ data: Data) {
        let rest = SingleChunkBody(data)
        self.init(pull: { () async throws(TransportFailure) in try await rest.take() })
    }
}

/// Data that is delivered once.
private final class SingleChunkBody: Sendable {
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
