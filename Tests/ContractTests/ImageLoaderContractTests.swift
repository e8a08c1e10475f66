import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of ImageLoaderProtocol, on the fake", .timeLimit(.minutes(5)))
struct ImageLoaderContractTests {
    typealias Rule = ContractRule<ImageLoaderContract.Subject>

    @Test("the fake passes", arguments: ImageLoaderContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { Self.fixture { $0 } }
    }

    @Test("each rule fails for a loader that breaks it", arguments: BrokenLoader.Defect.allCases)
    func brokenDouble(_ defect: BrokenLoader.Defect) async throws {
        let rule = try #require(ImageLoaderContract.rules.first { $0.name == defect.rule })
        await #expect(throws: (any Error).self) {
            try await rule.check { Self.fixture { BrokenLoader(base: $0, defect: defect) } }
        }
    }

    private static func fixture(_ make: (FakeImageLoader) -> any ImageLoaderProtocol) -> ImageLoaderFixture {
        let (loader, gate) = (FakeImageLoader(), TestGate())
        func request(_ name: String) -> ImageRequest { ImageRequest(.fetch(name: name) { Data() }) }
        loader.script(.image(PixelSize(width: 4, height: 3)), for: request("image"))
        loader.script(.failure(.notFound), for: request("missing"))
        loader.script(.held(gate, .failure(.offline)), for: request("endless"))
        return ImageLoaderFixture(
            loader: make(loader), image: request("image"), missing: request("missing"), endless: request("endless"),
            endlessGate: gate)
    }
}

/// A fake that breaks one rule.
final class BrokenLoader: ImageLoaderProtocol {
    enum Defect: CaseIterable {
        case cachesNothing, refusesPriorities, startsWithOtherImage, playsNothing, playsOtherFrame, playsStill
        case changesNotFound, changesNotFoundOfAnimations, changesNotFoundOfData, changesCancelled

        /// The name of the rule that the defect breaks.
        var rule: String {
            switch self {
            case .cachesNothing: "an image is in the memory cache after it was loaded, and not before"
            case .refusesPriorities: "a request with a priority that can change loads the same image"
            case .startsWithOtherImage, .playsNothing, .playsOtherFrame, .playsStill:
                "an animation starts with the image, and a still image has no other frame"
            case .changesNotFound, .changesNotFoundOfAnimations, .changesNotFoundOfData:
                "a request for a missing image fails with notFound"
            case .changesCancelled: "a cancelled request fails as cancelled, and other requests succeed"
            }
        }
    }

    let base: FakeImageLoader
    let defect: Defect

    init(base: FakeImageLoader, defect: Defect) {
        self.base = base
        self.defect = defect
    }

    func cachedImage(for request: ImageRequest) -> LoadedImage? {
        defect == .cachesNothing ? nil : base.cachedImage(for: request)
    }

    func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        if defect == .refusesPriorities, priority.value != request.priority { throw .offline }
        do throws(ImageError) {
            return try await base.image(for: request, following: priority, onProgress: onProgress)
        } catch {
            throw changed(error)
        }
    }

    func animation(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedAnimation {
        if defect == .changesNotFoundOfAnimations { throw .offline }
        var image = try await image(for: request, following: priority, onProgress: onProgress)
        let other = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [9, 9, 9, 255], isOpaque: true)
        if defect == .startsWithOtherImage { image.decoded.bitmap = other }
        return LoadedAnimation(firstFrame: image, frames: frames(image.bitmap, other))
    }

    private func frames(_ bitmap: Bitmap, _ other: Bitmap) -> DecodedFrames {
        switch defect {
        case .playsNothing: DecodedFrames([])
        case .playsOtherFrame: DecodedFrames([other])
        case .playsStill: DecodedFrames([bitmap, bitmap], delays: [.seconds(1), .seconds(1)])
        default: DecodedFrames([bitmap])
        }
    }

    func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        if defect == .changesNotFoundOfData { throw .offline }
        do throws(ImageError) {
            return try await base.data(for: request, following: priority, onProgress: onProgress)
        } catch {
            throw changed(error)
        }
    }

    private func changed(_ error: ImageError) -> ImageError {
        switch (defect, error) {
        case (.changesNotFound, .notFound), (.changesCancelled, .cancelled): .offline
        default: error
        }
    }
}
