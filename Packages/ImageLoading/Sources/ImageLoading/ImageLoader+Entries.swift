public import ImageCore
import ImageTransporting
import Synchronization

// These methods ignore the priority, the mode and the cache policy of a request. Its original is identified by its
// origin, headers and `identifier`, and belongs to the account of the moment. Originals in memory, files and
// `data:` URLs are not stored on disk. With `variants`, the target of a request chooses the variant that is meant, and the
// original is meant without one.
extension ImageLoader {
    /// Removes an image from memory, at all sizes and with all processors, and its original from disk.
    ///
    /// Requests in progress continue, and later ones don't join them. What they load is not stored. If the disk cache
    /// fails, the observer receives `diskFailed`.
    public func removeCachedImages(for request: ImageRequest) async {
        await changeOnDisk(request) { await removeFromDisk(request) }
    }

    /// Stores an image in memory, for the size and the processors of the request.
    ///
    /// The original on disk stays; `cacheData(_:for:lifetime:)` stores one. Requests in progress don't replace the image. Does
    /// nothing without a memory cache.
    public func cacheImage(_ image: DecodedImage, for request: ImageRequest) {
        let key = cacheKey(for: request)
        let original = request.originalKey(key)
        outdateWork(on: original)
        generations.withLock { $0.store(key, $0.newestStart(of: original), of: original) }
        configuration.memoryCache?.insert(image, for: key, retention: request.memoryRetention ?? .preferred)
    }

    /// Stores an encoded original on disk, as if it had been downloaded now, and removes its images from memory.
    ///
    /// Requests in progress continue, and later ones don't join them.
    ///
    /// - Parameters:
    ///   - data: The bytes, in any format that the loader decodes. They are not decoded here.
    ///   - request: Its URL, headers and `identifier`, or the name of its fetch, identify the original.
    ///   - lifetime: The time for which a URL is not asked again, in whole seconds from 0 to 2^31. By default a day.
    /// - Returns: Whether it is stored. False without a disk cache, for bytes, files and `data:` URLs, and if the disk
    ///   fails.
    @discardableResult
    public func cacheData(
        _ data: Data, for request: ImageRequest, lifetime: Duration = .seconds(86_400)
    ) async -> Bool {
        await changeOnDisk(request) { await storeOnDisk(data, for: request, lifetime) }
    }

    private func storeOnDisk(_ data: Data, for request: ImageRequest, _ lifetime: Duration) async -> Bool {
        guard let lookup = diskLookup(of: request) else { return false }
        return await transport.storeResponse(data, to: lookup, lifetime: lookup.lifetime(lifetime))
    }

    /// Returns whether the image is in memory, at the size and with the processors of the request, or its original is on
    /// disk, even if it is stale.
    ///
    /// Sends no events. Use `cachedImage(for:)` to look only into memory.
    public func isCached(_ request: ImageRequest) async -> Bool {
        if configuration.memoryCache?.image(for: cacheKey(for: request)) != nil { return true }
        guard let response = await storedResponse(to: request) else { return false }
        response.body.discard()
        return true
    }

    /// Returns the encoded original from disk, even if it is stale. Returns nil if there is none or it can't be read.
    public func cachedData(for request: ImageRequest) async -> Data? {
        guard let response = await storedResponse(to: request) else { return nil }
        return try? await collect(response)
    }

    /// Changes the original on disk, and removes its images from memory.
    private func changeOnDisk<Value>(_ request: ImageRequest, _ change: () async -> Value) async -> Value {
        let original = original(of: request)
        outdateWork(on: original)
        let value = await change()
        // Others may have read the older original from disk meanwhile.
        outdateWork(on: original)
        configuration.memoryCache?.removeAll { key, _ in original.isOriginal(of: key) }
        return value
    }

    func original(of request: ImageRequest) -> OriginalKey { request.originalKey(cacheKey(for: request)) }

    /// Prevents requests in progress from storing their results in memory, and later requests from joining them.
    private func outdateWork(on original: OriginalKey) {
        generations.withLock { $0.startGeneration(of: original) }
    }

    private func removeFromDisk(_ request: ImageRequest) async {
        guard let lookup = diskLookup(of: request) else { return }
        await transport.removeStoredResponses(to: lookup)
    }

    /// Returns nil if there is no response, or only one for an error.
    private func storedResponse(to request: ImageRequest) async -> TransportResponse? {
        guard var lookup = diskLookup(of: request) else { return nil }
        lookup.cacheUse = CacheUse(.onlyIfCached)
        guard case .stored(let response) = try? await transport.answer(to: lookup) else { return nil }
        guard response.head.error != nil else { return response }
        response.body.discard()
        return nil
    }

    /// Returns nil for originals that are not stored on disk.
    private func diskLookup(of request: ImageRequest) -> TransportRequest? {
        guard !request.origin.isLocal else { return nil }
        let request = chosen(request)
        return try? TransportRequest(request, original(of: request), self)
    }
}
