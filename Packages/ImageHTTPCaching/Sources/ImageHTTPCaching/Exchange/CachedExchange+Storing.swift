import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CachedExchange {
    /// The number of bytes that are read of the body of an error or redirect to store it, because its receiver may not
    /// read it.
    private static let readAheadLimit = 64 << 10

    /// Returns a response from the origin. If the policy allows it, the response is stored while it is read.
    func deliver(_ origin: OriginResponse) async -> TransportResponse {
        if redirectsToOwnKey(origin.head) { return origin.response }
        let response = StoredHTTPResponse(
            origin.head, to: request.headers, requestTime: origin.requestTime, responseTime: origin.responseTime)
        if request.method == .head {
            await updateStored(byHead: origin)
        } else if rules.policy.mayStore(response, to: cacheRequest), await mayReplaceStored(by: origin.head) {
            return await storing(origin, as: response)
        } else if origin.head.describesResource, cacheRequest.isPlainGet {
            await store.change(key) { $0.remove(selectedBy: request.headers, invalidatedAt: origin.requestTime) }
        }
        return origin.response
    }

    /// Whether the response is a redirect to a URL with the same key, for example to another percent-encoding. Stored, it
    /// would be the response to its own target.
    private func redirectsToOwnKey(_ head: ResponseHead) -> Bool {
        guard let target = RedirectChain.target(of: head, from: request.url) else { return false }
        return rules.keys.key(for: target) == rules.keys.key(for: request.url)
    }

    /// An error such as 503 doesn't replace a response that describes the resource, which may be needed when the origin
    /// can't be reached.
    private func mayReplaceStored(by head: ResponseHead) async -> Bool {
        if head.describesResource { return true }
        return await !store.index(key).variants.contains { variant in
            variant.response.isSelected(by: request.headers) && variant.response.describesResource
        }
    }

    private func storing(_ origin: OriginResponse, as response: StoredHTTPResponse) async -> TransportResponse {
        let expected = origin.head.expectedBytes
        guard let variant = VariantIndex.Variant(response),
            let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: expected)
        else { return origin.response }
        let isSuccessful = origin.head.status.kind == .successful
        let recording = BodyRecording(origin.response.body, writer, store, key) { byteCount in
            await store.insert(variant, key, to: request.headers)
            if isSuccessful { rules.observer(.stored(request.url, bytes: byteCount)) }
        }
        var response = origin.response
        // A client that follows a redirect or fails on an error may not read the body.
        response.body = isSuccessful ? recording.body : await recording.body(readingAhead: Self.readAheadLimit)
        return response
    }

    /// Stores a body that an application has in place of the origin. Returns whether it is stored.
    func store(_ body: Data, as head: ResponseHead) async -> Bool {
        let time = store.now()
        let response = StoredHTTPResponse(head, to: request.headers, requestTime: time, responseTime: time)
        guard rules.policy.mayStore(response, to: cacheRequest), let variant = VariantIndex.Variant(response),
            let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: body.count)
        else { return false }
        let isWritten: Void? = await store.reporting(key) { () async throws(DataCacheFailure) in
            try await writer.append(body)
            try await writer.finish(metadata: Data(), createdAt: time)
        }
        guard isWritten != nil, await store.insert(variant, key, to: request.headers) else { return false }
        rules.observer(.stored(request.url, bytes: body.count))
        return true
    }

    /// Updates or removes stored responses by the response to a HEAD request (RFC 9111, 4.3.5).
    private func updateStored(byHead origin: OriginResponse) async {
        guard origin.head.describesResource else { return }
        await store.change(key) { index in
            for variant in index.variants where variant.response.isSelected(by: request.headers) {
                let freshened = variant.response.freshened(
                    byHead: origin.head, requestTime: origin.requestTime, responseTime: origin.responseTime)
                if let freshened {
                    index.update(variant.bodyName, to: freshened)
                } else {
                    index.remove(variant.bodyName)
                }
            }
        }
    }
}
