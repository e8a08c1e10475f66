public import ImageCore
public import ImageTesting

/// A loader, and requests of which it is known how they end.
public struct PictureLoaderStage: Sendable {
    public let loader: any PictureLoader
    /// A picture that can be had, of which the original, too, can be had, and that is kept in memory.
    public let picture: ImageRequest
    /// Ends in `.notFound`.
    public let missing: ImageRequest
    /// Ends when it is cancelled, and no sooner. The gate counts its arrivals.
    public let endless: ImageRequest
    public let endlessArrivals: Gate

    public init(
        loader: any PictureLoader, picture: ImageRequest, missing: ImageRequest, endless: ImageRequest,
        endlessArrivals: Gate
    ) {
        self.loader = loader
        self.picture = picture
        self.missing = missing
        self.endless = endless
        self.endlessArrivals = endlessArrivals
    }
}

/// What every `PictureLoader` promises.
public enum PictureLoaderContract {
    /// Makes a loader that has loaded nothing yet.
    public typealias Subject = @Sendable () async throws -> PictureLoaderStage

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a picture is not at hand before it was loaded, and is then") { make in
            let stage = try await make()
            try expect(stage.loader.cachedImage(for: stage.picture) == nil, "it is at hand before it was loaded")
            let loaded = try await stage.loader.image(for: stage.picture)
            let cached = stage.loader.cachedImage(for: stage.picture)
            try expect(cached?.image == loaded.image, "another picture is at hand, or none")
            try expect(cached?.source == .memory, "what is at hand comes from \(String(describing: cached?.source))")
        },
        ContractRule("what can't be had ends in the error that says why") { make in
            let stage = try await make()
            let picture = await error { _ = try await stage.loader.image(for: stage.missing) }
            guard case ImageError.notFound? = picture else {
                throw ContractViolation("a missing picture ends with \(String(describing: picture))")
            }
            let original = await error { _ = try await stage.loader.data(for: stage.missing) }
            guard case ImageError.notFound? = original else {
                throw ContractViolation("a missing original ends with \(String(describing: original))")
            }
        },
        ContractRule("cancelling ends a request as cancelled, and no other") { make in
            let stage = try await make()
            let task = Task { try await stage.loader.image(for: stage.endless) }
            let other = Task { try await stage.loader.image(for: stage.endless) }
            await stage.endlessArrivals.arrivals(1)
            task.cancel()
            let end = await error { _ = try await task.value }
            guard case ImageError.cancelled? = end else {
                throw ContractViolation("it ended with \(String(describing: end))")
            }
            let loaded = try await stage.loader.image(for: stage.picture)
            try expect(loaded.image.bitmap.size.area > 0, "no picture")
            other.cancel()
            _ = await error { _ = try await other.value }
        },
    ]

    private static func error(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
