public import ImageCore
import Synchronization

/// The body of a response. A single consumer reads it once, piece by piece. Releasing it early cancels the transfer.
public struct TransportBody: AsyncSequence, Sendable {
    private let producer: Producer

    /// Creates a body from closures.
    ///
    /// - Parameters:
    ///   - pull: Returns the next piece, which isn't empty, or nil at the end. Not called again after nil or an
    ///     error. `TransportError(_:)` converts its errors.
    ///   - discard: Called from any thread when the consumer doesn't need the rest of the body.
    ///   - abandon: Ends the transfer. Called once, from any thread, when the body is released, even after its end.
    public init(
        pull: @escaping @Sendable () async throws -> Data?,
        discard: @escaping @Sendable () -> Void = {}, abandon: @escaping @Sendable () -> Void = {}
    ) {
        producer = Producer(pull: pull, discard: discard, abandon: abandon)
    }

    /// Creates a body of bytes that are already in memory.
    public init(_ data: Data) {
        let rest = OneTimeData(data)
        self.init(pull: {
            if Task.isCancelled { throw TransportError.cancelled }
            return rest.take()
        })
    }

    /// Tells the transport that the rest isn't needed, so that it can reuse the connection. Don't read afterwards.
    public func discard() { producer.discard() }

    /// Returns an iterator over the remaining pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(producer: producer) }

    /// Iterates over the pieces of a body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let producer: Producer
        private var isOver = false

        fileprivate init(producer: Producer) { self.producer = producer }

        /// Returns the next piece, or nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> Data? {
            guard !isOver else { return nil }
            do {
                let piece = try await producer.pull()
                isOver = piece == nil
                return piece
            } catch {
                isOver = true
                throw TransportError(error)
            }
        }
    }

    fileprivate final class Producer: Sendable {
        let pull: @Sendable () async throws -> Data?
        let discard: @Sendable () -> Void
        private let abandon: @Sendable () -> Void

        init(
            pull: @escaping @Sendable () async throws -> Data?,
            discard: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void
        ) {
            self.pull = pull
            self.discard = discard
            self.abandon = abandon
        }

        deinit { abandon() }
    }
}

extension TransportBody {
    /// Returns all bytes of the body.
    ///
    /// - Parameters:
    ///   - expectedByteCount: The announced length. It reserves at most 1 MiB.
    ///   - byteLimit: The maximum number of bytes.
    ///   - onProgress: Called with the number of bytes so far after each piece.
    /// - Throws: `.tooLarge` if the body exceeds `byteLimit`.
    public func collected(
        expectedByteCount: Int?, byteLimit: Int, onProgress: (Int) -> Void = { _ in }
    ) async throws(TransportError) -> Data {
        var data = Data()
        var iterator = makeAsyncIterator()
        while let piece = try await iterator.next() {
            guard data.count + piece.count <= byteLimit else { throw .tooLarge(byteLimit: byteLimit) }
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(Swift.min(expectedByteCount ?? 0, 1 << 20))
                data.append(piece)
            }
            onProgress(data.count)
        }
        return data
    }
}

/// Bytes that are taken once.
package final class OneTimeData: Sendable {
    private let data: Mutex<Data?>

    package init(_ data: Data) { self.data = Mutex(data.isEmpty ? nil : data) }

    /// Returns the bytes once, unless they are empty.
    package func take() -> Data? { data.withLock { $0.take() } }
}
