#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A body that is pulled piece by piece, by one consumer, once.
///
/// Waiting for the next piece is the backpressure. Dropping the body before its end abandons the transfer.
public struct TransportBody: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = TransportFailure

    private let source: Source

    /// - Parameters:
    ///   - pull: returns the next piece, never empty, or nil at the end; throws once and is not called again after either.
    ///   - discard: tells that nobody will pull again; may be called from any thread.
    ///   - abandon: ends the transfer; called once when the body is dropped, also after its end, from any thread.
    public init(
        pull: @escaping @Sendable () async throws(TransportFailure) -> Data?,
        discard: @escaping @Sendable () -> Void = {}, abandon: @escaping @Sendable () -> Void = {}
    ) {
        source = Source(pull: pull, discard: discard, abandon: abandon)
    }

    /// To be called before a body that nobody wants is dropped: a transport may then read a little more of it, where that
    /// keeps a connection. Nothing may be pulled afterwards.
    public func discard() { source.discard() }

    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source
        private var isOver = false

        fileprivate init(source: Source) { self.source = source }

        public mutating func next() async throws(TransportFailure) -> Data? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportFailure) -> Data? {
            guard !isOver else { return nil }
            do throws(TransportFailure) {
                let piece = try await source.pull()
                isOver = piece == nil
                return piece
            } catch {
                isOver = true
                throw error
            }
        }
    }

    fileprivate final class Source: Sendable {
        let pull: @Sendable () async throws(TransportFailure) -> Data?
        let discard: @Sendable () -> Void
        private let abandon: @Sendable () -> Void

        init(
            pull: @escaping @Sendable () async throws(TransportFailure) -> Data?,
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
    /// All bytes of the body. A body that comes in one piece is that piece, not a copy.
    ///
    /// - Parameters:
    ///   - expectedBytes: the length announced, if any: a claim, which buys at most a mebibyte ahead of the bytes themselves.
    ///   - limit: more bytes throw `.tooLarge`.
    ///   - onProgress: told the number of bytes after each piece.
    public func collected(
        expectedBytes: Int?, limit: Int, onProgress: (Int) -> Void = { _ in }
    ) async throws(TransportFailure) -> Data {
        var data = Data()
        var iterator = makeAsyncIterator()
        while let piece = try await iterator.next() {
            guard data.count + piece.count <= limit else { throw .tooLarge(allowedBytes: limit) }
            if data.isEmpty {
                data = piece
            } else {
                data.reserveCapacity(Swift.min(expectedBytes ?? 0, 1 << 20))
                data.append(piece)
            }
            onProgress(data.count)
        }
        return data
    }
}
