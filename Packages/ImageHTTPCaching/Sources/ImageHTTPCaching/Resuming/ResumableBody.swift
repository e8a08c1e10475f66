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
        var isStoreBroken = false
    }

    private let partial: PartialDownload
    private let rest: TransportBody
    private let store: PartialStore
    private let state: Mutex<State>

    /// - Parameters:
    ///   - stored: The ranges of the stored parts, from the beginning of the body without gaps.
    ///   - rest: The bytes after the stored parts.
    init(
        _ partial: PartialDownload, stored: [Range<Int>], rest: TransportBody, store: PartialStore, partBytes: Int
    ) {
        self.partial = partial
        self.rest = rest
        self.store = store
        let assembler = PartAssembler(
            totalBytes: partial.totalBytes, partBytes: partBytes, offset: stored.last?.upperBound ?? 0)
        state = Mutex(State(stored: stored, toReplay: stored[...], assembler: assembler))
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
        if let part = await store.part(of: partial, at: range.lowerBound), part.count == range.count { return part }
        await removeStored()
        throw .connectionLost("a stored part of the body was removed from the cache")
    }

    /// Saves a part. If the cache fails, it isn't used for this body any more.
    private func save(_ part: PartAssembler.Part) async {
        let (isFirst, isBroken) = state.withLock { ($0.stored.isEmpty, $0.isStoreBroken) }
        guard !isBroken else { return }
        let isDescribed = isFirst ? await store.save(partial) : true
        let isSaved = isDescribed ? await store.save(part.data, of: partial, at: part.offset) : false
        state.withLock { state in
            state.isStoreBroken = !isSaved
            if isSaved { state.stored.append(part.offset..<part.offset + part.data.count) }
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
        await store.remove(partial, parts: stored)
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
