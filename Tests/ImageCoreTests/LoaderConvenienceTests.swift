import Foundation
import ImageCore
import Testing

@testable import ImageTesting

@Suite("Conveniences of loaders")
struct LoaderConvenienceTests {
    /// A loader that only logs what it is asked for.
    private final class LoggingLoader: ImageLoaderProtocol {
        let requests = MessageLog<ImageRequest>()
        let priorities = MessageLog<RequestPriority>()

        func cachedImage(for request: ImageRequest) -> LoadedImage? {
            requests.append(request)
            return nil
        }

        func image(
            for request: ImageRequest, following priority: LivePriority,
            onProgress: @escaping @Sendable (WorkProgress) -> Void
        ) async throws(ImageError) -> LoadedImage {
            requests.append(request)
            priorities.append(priority.value)
            throw .offline
        }

        func data(
            for request: ImageRequest, following priority: LivePriority,
            onProgress: @escaping @Sendable (WorkProgress) -> Void
        ) async throws(ImageError) -> LoadedData {
            priorities.append(priority.value)
            throw .offline
        }
    }

    @Test("a method for a URL makes the request that its parameters describe, at its priority")
    func urls() async throws {
        let (loader, url) = (LoggingLoader(), try #require(URL(string: "https://a.test/1")))
        let target = ImageTarget.fit(width: 9)
        #expect(loader.cachedImage(for: url, target: target, processors: [FakeProcessor("blur")]) == nil)
        await #expect(throws: ImageError.offline) {
            try await loader.image(for: url, target: target, processors: [FakeProcessor("blur")], priority: .high)
        }
        await #expect(throws: ImageError.offline) {
            try await loader.animation(for: url, target: target, processors: [FakeProcessor("blur")], priority: .low)
        }
        await #expect(throws: ImageError.offline) {
            try await loader.data(for: ImageRequest(url: url, priority: .veryHigh))
        }
        let request = ImageRequest(url: url, target: target, processors: [FakeProcessor("blur")])
        #expect(loader.requests.messages == [request, request, request])
        #expect(loader.priorities.messages == [.high, .low, .veryHigh])
    }
}
