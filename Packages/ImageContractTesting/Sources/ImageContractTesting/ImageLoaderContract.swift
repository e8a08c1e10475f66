public import ImageCore
public import ImageTesting

/// A loader, and requests of which it is known how they end.
public struct ImageLoaderFixture: Sendable {
    public let loader: any ImageLoaderProtocol
    /// An image that can be had, of which the original, too, can be had, and that is kept in memory.
    public let image: ImageRequest
    /// Ends in `.notFound`.
    public let missing: ImageRequest
    /// Ends when it is cancelled, and no sooner. The gate counts its arrivals.
    public let endless: ImageRequest
    public let endlessArrivals: Gate

    public init(
        loader: any ImageLoaderProtocol, image: ImageRequest, missing: ImageRequest, endless: ImageRequest,
        endlessArrivals: Gate
    ) {
        self.loader = loader
        self.image = image
        self.missing = missing
        self.endless = endless
        self.endlessArrivals = endlessArrivals
    }
}

/// What every `ImageLoaderProtocol` promises.
public enum ImageLoaderContract {
    /// Makes a loader that has loaded nothing yet.
    public typealias Subject = @Sendable () async throws -> ImageLoaderFixture

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("an image is not at hand before it was loaded, and is then") { make in
            let fixture = try await make()
            try expect(fixture.loader.cachedImage(for: fixture.image) == nil, "it is at hand before it was loaded")
            let loaded = try await fixture.loader.image(for: fixture.image)
            let cached = fixture.loader.cachedImage(for: fixture.image)
            try expect(cached?.image == loaded.image, "another image is at hand, or none")
            try expect(cached?.source == .memory, "what is at hand comes from \(String(describing: cached?.source))")
        },
        ContractRule("what can't be had ends in the error that says why") { make in
            let fixture = try await make()
            let image = await error { _ = try await fixture.loader.image(for: fixture.missing) }
            guard case ImageError.notFound? = image else {
                throw ContractViolation("a missing image ends with \(String(describing: image))")
            }
            let original = await error { _ = try await fixture.loader.data(for: fixture.missing) }
            guard case ImageError.notFound? = original else {
                throw ContractViolation("a missing original ends with \(String(describing: original))")
            }
        },
        ContractRule("cancelling ends a request as cancelled, and no other") { make in
            let fixture = try await make()
            let task = Task { try await fixture.loader.image(for: fixture.endless) }
            let other = Task { try await fixture.loader.image(for: fixture.endless) }
            await fixture.endlessArrivals.arrivals(1)
            task.cancel()
            let end = await error { _ = try await task.value }
            guard case ImageError.cancelled? = end else {
                throw ContractViolation("it ended with \(String(describing: end))")
            }
            let loaded = try await fixture.loader.image(for: fixture.image)
            try expect(loaded.image.bitmap.size.area > 0, "no image")
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
