import HTTPTypes
public import ImageCore
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Goes on with bodies that were interrupted, after a relaunch too, instead of beginning again (RFC 9110, 13.1.5 and 14).
///
/// What has come of a body is kept in a cache of bytes, part by part, if the response has a length and a strong validator.
/// The next request for it, with the same fields, sends Range and If-Range. Its body begins with what was kept and goes on with
/// what the origin sends, once Content-Range, length and validator are found to fit. When the body has changed meanwhile, or
/// the origin knows no ranges, the new body comes, from its beginning.
///
/// A complete body leaves nothing behind. Requests that are conditional, name a range, carry a body, are no GET, or may not be stored
/// (`CacheUse.bypass`, `no-store`) pass through.
public struct ResumingTransport: DataTransport {
    private let transport: any DataTransport
    private let cache: any DataCache
    private let partition: String
    private let partBytes: Int
    private let now: @Sendable () -> Date
    private let onStoreFailure: @Sendable (URL, DataCacheFailure) -> Void

    /// - Parameters:
    ///   - cache: keeps the parts. May be the one that keeps whole bodies: the keys differ.
    ///   - partition: a name of the application's for an account: what is kept for one is not found by another.
    ///   - partBytes: how much is put together before it is kept: the most that is lost when the process is killed. Bodies that
    ///     are smaller, and not interrupted, never reach the cache.
    ///   - now: stamps entries, and tells the century of dates.
    ///   - onStoreFailure: told for which address the cache fails; the transfer goes on without it.
    public init(
        _ transport: any DataTransport, keepingPartsIn cache: any DataCache, partition: String = "",
        partBytes: Int = 1 << 20,
        now: @escaping @Sendable () -> Date,
        onStoreFailure: @escaping @Sendable (URL, DataCacheFailure) -> Void = { _, _ in }
    ) {
        self.transport = transport
        self.cache = cache
        self.partition = partition
        self.partBytes = partBytes
        self.now = now
        self.onStoreFailure = onStoreFailure
    }

    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard request.isResumable else { return try await transport.send(request) }
        let store = PartialStore(request, in: cache, partition: partition, now: now)
        if let (partial, parts) = await kept(in: store), let offset = parts.last?.upperBound {
            let response = try await transport.send(partial.request(request, from: offset))
            switch partial.verdict(on: response.head, offset: offset) {
            case .goesOn(let head):
                return try resumed(partial, head, kept: parts, rest: response.body, store, request)
            case .passesThrough: return response
            case .startsAnew:
                await remove(partial, parts, from: store)
                return recorded(response, store)
            case .asksAgain:
                response.body.discard()
                await remove(partial, parts, from: store)
            }
        }
        return recorded(try await transport.send(request), store)
    }

    private func resumed(
        _ partial: PartialDownload, _ head: ResponseHead, kept: [Range<Int>], rest: TransportBody,
        _ store: PartialStore, _ request: TransportRequest
    ) throws(TransportFailure) -> TransportResponse {
        guard partial.totalBytes <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        return TransportResponse(head: head, body: body(partial, kept: kept, rest: rest, store))
    }

    private func recorded(_ response: TransportResponse, _ store: PartialStore) -> TransportResponse {
        guard let partial = PartialDownload(response.head, now: now()) else { return response }
        return TransportResponse(head: response.head, body: body(partial, kept: [], rest: response.body, store))
    }

    private func body(
        _ partial: PartialDownload, kept: [Range<Int>], rest: TransportBody, _ store: PartialStore
    ) -> TransportBody {
        ResumableBody(
            partial, kept: kept, rest: rest, store: store, partBytes: partBytes, onStoreFailure: onStoreFailure
        ).body
    }

    // MARK: A store that fails is told of, and passed over

    private func kept(in store: PartialStore) async -> (PartialDownload, parts: [Range<Int>])? {
        do throws(DataCacheFailure) {
            return try await store.kept()
        } catch {
            onStoreFailure(store.url, error)
            return nil
        }
    }

    private func remove(_ partial: PartialDownload, _ parts: [Range<Int>], from store: PartialStore) async {
        do throws(DataCacheFailure) {
            try await store.remove(partial, parts: parts)
        } catch {
            onStoreFailure(store.url, error)
        }
    }
}

extension TransportRequest {
    fileprivate var isResumable: Bool {
        let conditions: [HTTPField.Name] = [
            .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
        ]
        return method == .get && body == nil && conditions.allSatisfy { headers[$0] == nil } && cacheUse != .bypass
            && !CacheDirectives(headers).contains("no-store")
    }
}
