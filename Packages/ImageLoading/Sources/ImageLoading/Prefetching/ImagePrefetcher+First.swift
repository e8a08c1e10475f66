public import ImageCore

extension ImagePrefetcher {
    /// Loads the first of these to be shown, and goes on with the rest ahead of need: returns when the first is there.
    ///
    /// The first is a request as any other, at its own priority, whatever the destination, a pause or the limit say. The rest is started
    /// when it has come, or has failed: it does not compete with it. `stop` reaches the rest as always.
    ///
    /// - Returns: nil when there are no requests.
    /// - Throws: what the first has failed with. When the calling task is cancelled before the first is there, that is `.cancelled`, and
    ///   the rest is not started; cancelled later, it goes on.
    public func loadFirst(of requests: [ImageRequest]) async throws(ImageError) -> LoadedImage? {
        guard let first = requests.first else { return nil }
        defer { if !Task.isCancelled { start(Array(requests.dropFirst())) } }
        return try await loader.image(for: first)
    }
}
