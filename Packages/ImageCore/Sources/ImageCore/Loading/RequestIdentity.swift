/// What requests have in common that share all work and the result in one loader.
package struct RequestIdentity: Hashable, Sendable {
    private let key: ImageCacheKey
    private let cachePolicy: ImageCachePolicy
    private let mode: ImageLoadMode

    /// - Parameter key: The key of the request in the loader.
    package init(_ request: ImageRequest, key: ImageCacheKey) {
        (self.key, cachePolicy, mode) = (key, request.cachePolicy, request.mode)
    }
}

extension ImageLoaderProtocol {
    package func identity(of request: ImageRequest) -> RequestIdentity {
        RequestIdentity(request, key: cacheKey(for: request))
    }
}
