import ImageCore
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One body on its way: first what was kept of it, then what comes, part by part into the store.
final class ResumableBody: Sendable {
    private struct State {
        /// What the store has, new parts included.
        var kept: [Range<Int>]
        var toReplay: ArraySlice<Range<Int>>
        var assembler: PartAssembler
        var isDescribed: Bool
        var isStoreBroken = false
    }

    private let partial: PartialDownload
    private let rest: TransportBody
    private let store: PartialStore
    private let onStoreFailure: @Sendable (URL, DataCacheFailure) -> Void
    private let state: Mutex<State>

    /// - Parameter kept: the parts that the store has, from the beginning of the body without a gap; `rest` is what follows them.
    init(
        _ partial: PartialDownload, kept: [Range<Int>], rest: TransportBody, store: PartialStore, partBytes: Int,
        onStoreFailure: @escaping @Sendable (URL, DataCacheFailure) -> Void
    ) {
        self.partial = partial
        self.rest = rest
        self.store = store
        self.onStoreFailure = onStoreFailure
        let assembler = PartAssembler(
            totalBytes: partial.totalBytes, partBytes: partBytes, offset: kept.last?.upperBound ?? 0)
        state = Mutex(State(kept: kept, toReplay: kept[...], assembler: assembler, isDescribed: !kept.isEmpty))
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
            if let part { await keep(part) }
            return piece
        } catch {
            if let tail = state.withLock({ $0.assembler.interrupted() }) { await keep(tail) }
            throw error
        }
    }

    /// The store may have dropped the part since it was counted: then the transfer has to be made anew.
    private func replay(_ range: Range<Int>) async throws(TransportFailure) -> Data {
        if Task.isCancelled { throw .cancelled }
        let part = await attempt { () async throws(DataCacheFailure) in
            try await store.part(of: partial, at: range.lowerBound)
        }
        if let part = part ?? nil, part.count == range.count { return part }
        await forget()
        throw .connectionLost("a part of the body that was kept has gone")
    }

    private func keep(_ part: PartAssembler.Part) async {
        guard !state.withLock({ $0.isStoreBroken }) else { return }
        await attempt { () async throws(DataCacheFailure) in
            if !state.withLock({ $0.isDescribed }) { try await store.keep(partial) }
            try await store.keep(part.data, of: partial, at: part.offset)
            state.withLock { state in
                state.isDescribed = true
                state.kept.append(part.offset..<part.offset + part.data.count)
            }
        }
    }

    private func finish() async throws(TransportFailure) {
        try state.withLock { state throws(TransportFailure) in try state.assembler.finish() }
        await forget()
    }

    /// Clears the store of a body that is complete or useless.
    private func forget() async {
        let kept = state.withLock { $0.kept }
        guard !kept.isEmpty else { return }
        await attempt { () async throws(DataCacheFailure) in try await store.remove(partial, parts: kept) }
    }

    /// A store that fails is told of and left alone from then on: the transfer does not need it.
    @discardableResult
    private func attempt<Value>(_ operation: () async throws(DataCacheFailure) -> Value) async -> Value? {
        do throws(DataCacheFailure) {
            return try await operation()
        } catch {
            state.withLock { $0.isStoreBroken = true }
            onStoreFailure(store.url, error)
            return nil
        }
    }
}
