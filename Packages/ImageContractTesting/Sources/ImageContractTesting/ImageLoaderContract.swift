public import ImageCore
public import ImageTesting

/// A loader, and requests with known results.
public struct ImageLoaderFixture: Sendable {
    /// The loader under test.
    public let loader: any ImageLoaderProtocol
    /// A request that loads an image and stores it in the memory cache.
    public let image: ImageRequest
    /// A request that fails with `.notFound`.
    public let missing: ImageRequest
    /// A request that only ends if it is cancelled.
    public let endless: ImageRequest
    /// The gate at which `endless` waits.
    public let endlessGate: TestGate

    /// Creates a fixture.
    public init(
        loader: any ImageLoaderProtocol, image: ImageRequest, missing: ImageRequest, endless: ImageRequest,
        endlessGate: TestGate
    ) {
        self.loader = loader
        self.image = image
        self.missing = missing
        self.endless = endless
        self.endlessGate = endlessGate
    }
}

/// The contract of `ImageLoaderProtocol`.
public enum ImageLoaderContract {
    /// Makes a loader that hasn't loaded anything.
    public typealias Subject = @Sendable () async throws -> ImageLoaderFixture

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("an image is in the memory cache after it was loaded, and not before") { make in
            let fixture = try await make()
            try expect(
                fixture.loader.cachedImage(for: fixture.image) == nil, "the image is cached before it was loaded")
            let loaded = try await fixture.loader.image(for: fixture.image)
            let cached = fixture.loader.cachedImage(for: fixture.image)
            try expect(cached?.decoded == loaded.decoded, "another image is cached, or none")
            try expect(
                cached?.source == .memory, "the source of the cached image is \(String(describing: cached?.source))")
        },
        ContractRule("a request with a priority that can change loads the same image") { make in
            let fixture = try await make()
            let expected = try await fixture.loader.image(for: fixture.image)
            let priority = LivePriority(.low)
            let loaded = try await fixture.loader.image(for: fixture.image, following: priority) { _ in
                priority.value = .high
            }
            try expect(loaded.decoded == expected.decoded, "it loads another image")
        },
        ContractRule("an animation starts with the image, and a still image has no other frame") { make in
            let fixture = try await make()
            let expected = try await fixture.loader.image(for: fixture.image).decoded
            let animation = try await fixture.loader.animation(for: fixture.image)
            try expect(animation.firstFrame.decoded == expected, "it starts with another image")
            try await animation.frames.prepare(from: 0)
            try expect(animation.frames.cachedFrame(at: 0) == expected.bitmap, "its first frame is another image")
            let last = AnimationMoment(frame: 0, end: nil)
            let isStill = expected.header.frameCount == 1
            try expect(!isStill || animation.frames.moment(at: .zero) == last, "a still image has another frame")
        },
        ContractRule("a request for a missing image fails with notFound") { make in
            let fixture = try await make()
            let image = await error { _ = try await fixture.loader.image(for: fixture.missing) }
            guard case ImageError.notFound? = image else {
                throw ContractViolation("a missing image ends with \(String(describing: image))")
            }
            let animation = await error { _ = try await fixture.loader.animation(for: fixture.missing) }
            guard case ImageError.notFound? = animation else {
                throw ContractViolation("a missing animation ends with \(String(describing: animation))")
            }
            let original = await error { _ = try await fixture.loader.data(for: fixture.missing) }
            guard case ImageError.notFound? = original else {
                throw ContractViolation("a missing original ends with \(String(describing: original))")
            }
        },
        ContractRule("a cancelled request fails as cancelled, and other requests succeed") { make in
            let fixture = try await make()
            let task = Task { try await fixture.loader.image(for: fixture.endless) }
            let other = Task { try await fixture.loader.image(for: fixture.endless) }
            await fixture.endlessGate.waitForArrivals(1)
            task.cancel()
            let end = await error { _ = try await task.value }
            guard case ImageError.cancelled? = end else {
                throw ContractViolation("the cancelled request ends with \(String(describing: end))")
            }
            let loaded = try await fixture.loader.image(for: fixture.image)
            try expect(loaded.decoded.bitmap.size.area > 0, "the image is empty")
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
