import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body that delivers the stored parts, then the rest from the origin. Stores the rest in parts.
final class ResumableBody: Sendable {
    private struct State {
        /// The ranges of the stored parts, including new ones.
        var stored: [Range<Int>]
        var toReplay: ArraySlice<Range<Int>>
        var assembler: PartAssembler
        var isRegistered: Bool
        var isStoreBroken = false
    }

    private let partial: PartialDownload
    private let rest: TransportBody
    private let store: PartialStore
    private let onCacheFailure: @Sendable (URL, DataCacheFailure) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - stored: The ranges of the stored parts, from the beginning of the body without gaps.
    ///   - rest: The bytes after the stored parts.
    init(
        _ partial: PartialDownload, stored: [Range<Int>], rest: TransportBody, store: PartialStore, partBytes: Int,
        onCacheFailure: @escaping @Sendable (URL, DataCacheFailure) -> Void
    ) {
        self.partial = partial
        self.rest = rest
        self.store = store
        self.onCacheFailure = onCacheFailure
        let assembler = PartAssembler(
            totalBytes: partial.totalBytes, partBytes: partBytes, offset: stored.last?.upperBound ?? 0)
        state = Mutex(State(stored: stored, toReplay: stored[...], assembler: assembler, isRegistered: !stored.isEmpty))
    }

    var body: TransportBody {
        TransportBody(
            pull: { () async throws(TransportFailure) in try await self.pull() }, discard: { self.rest.discard() })
    }

    private func pull() async throws(TransportFailure) -> Data? {
        if let part = state.withLock({ $0.toReplay.popFirst() }) { return try await replay(part) }
        do throws(TransportFailure) {
            var iterator = rest.makeAsyncIterator()
            guard let piece = try await iterator.next() else {
                try await finish()
                return nil
            }
            let part = try state.withLock { state throws(TransportFailure) in try state.assembler.arrived(piece) }
            if let part { await save(part) }
            return piece
        } catch {
            if let tail = state.withLock({ $0.assembler.interrupted() }) { await save(tail) }
            throw error
        }
    }

    /// Returns a stored part. Throws if the cache has removed it since; the transfer must then be repeated.
    private func replay(_ range: Range<Int>) async throws(TransportFailure) -> Data {
        if Task.isCancelled { throw .cancelled }
        let part = await attempt { () async throws(DataCacheFailure) in
            try await store.part(of: partial, at: range.lowerBound)
        }
        if let part = part ?? nil, part.count == range.count { return part }
        await removeStored()
        throw .connectionLost("a stored part of the body was removed from the cache")
    }

    private func save(_ part: PartAssembler.Part) async {
        guard !state.withLock({ $0.isStoreBroken }) else { return }
        await attempt { () async throws(DataCacheFailure) in
            if !state.withLock({ $0.isRegistered }) { try await store.save(partial) }
            try await store.save(part.data, of: partial, at: part.offset)
            state.withLock { state in
                state.isRegistered = true
                state.stored.append(part.offset..<part.offset + part.data.count)
            }
        }
    }

    private func finish() async throws(TransportFailure) {
        try state.withLock { state throws(TransportFailure) in try state.assembler.finish() }
        await removeStored()
    }

    /// Removes the parts of a body that is complete or can't be resumed.
    private func removeStored() async {
        let stored = state.withLock { $0.stored }
        guard !stored.isEmpty else { return }
        await attempt { () async throws(DataCacheFailure) in try await store.remove(partial, parts: stored) }
    }

    /// Performs an operation of the cache. If it fails, reports the failure and stops using the cache for this body.
    @discardableResult
    private func attempt<Value>(_ operation: () async throws(DataCacheFailure) -> Value) async -> Value? {
        do throws(DataCacheFailure) {
            return try await operation()
        } catch {
            state.withLock { $0.isStoreBroken = true }
            onCacheFailure(store.url, error)
            return nil
        }
    }
}

/// Combines the pieces of a body into parts of a minimum size, and counts the bytes. Pure.
struct PartAssembler {
    struct Part: Equatable {
        var offset: Int
        var data: Data
    }

    private let totalBytes: Int
    private let partBytes: Int
    private var received: Int
    private var pending = Data()

    /// - Parameter offset: The offset of the first piece in the body.
    init(totalBytes: Int, partBytes: Int, offset: Int) {
        self.totalBytes = totalBytes
        self.partBytes = partBytes
        received = offset
    }

    /// Adds a piece. Returns a part if it is full. Throws `.malformedResponse` if there are more bytes than announced.
    mutating func arrived(_ piece: Data) throws(TransportFailure) -> Part? {
        received += piece.count
        guard received <= totalBytes else { throw .malformedResponse("more than the \(totalBytes) bytes announced") }
        // At most `partBytes`, although the origin announces the total.
        if pending.isEmpty { pending.reserveCapacity(min(partBytes, totalBytes - received + piece.count)) }
        pending.append(piece)
        return pending.count >= partBytes ? takePart() : nil
    }

    /// Handles an interruption. Returns the bytes that aren't in a part yet.
    mutating func interrupted() -> Part? { pending.isEmpty ? nil : takePart() }

    /// Throws `.closedEarly` if bytes are missing.
    func finish() throws(TransportFailure) {
        guard received == totalBytes else { throw .closedEarly(received: received, expected: totalBytes) }
    }

    private mutating func takePart() -> Part {
        defer { pending = Data() }
        return Part(offset: received - pending.count, data: pending)
    }
}
