import Foundation
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting
import Testing

// The examples of README.md, compiled. `ReadmeTests` fails when a line of an example there is not here.

private func loadImages(_ url: URL, cacheDirectory: URL, show: (Bitmap) -> Void) async throws {
    let loader = ImageLoaderOptions(cacheDirectory: cacheDirectory).makeLoader()
    let request = ImageRequest(url: url, target: ImageTarget(PixelSize(width: 300, height: 300)))

    if let hit = loader.cachedImage(for: request) {
        show(hit.image.bitmap)  // in this very turn: no task, no placeholder
    } else {
        show(try await loader.image(for: request).image.bitmap)
    }
}

private func prefetch(_ comingUp: [ImageRequest], request: ImageRequest, loader: ImageLoader) async throws -> Data {
    let prefetcher = ImagePrefetcher(loader: loader)
    prefetcher.start(comingUp)  // at low priority; a request for one of them joins the work and raises it
    prefetcher.stop()  // what has not begun never will

    let original = try await loader.data(for: request)  // the file as it came, and where from
    return original.data
}

/// Signs each request on its way out.
struct SigningTransport: DataTransport {
    let base: any DataTransport
    let token: String

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        var request = request
        request.headers[.authorization] = "Bearer \(token)"
        return try await base.send(request)
    }
}

private func makeSigningLoader(cacheDirectory: URL, token: String) -> ImageLoader {
    var configuration = ImageLoaderOptions(cacheDirectory: cacheDirectory).makeConfiguration()
    configuration.transport = SigningTransport(base: configuration.transport, token: token)
    let loader = ImageLoader(configuration)
    return loader
}

@Suite("README")
struct ReadmeTests {
    @Test(
        "every line of an example stands in a file that compiles it, but for the manifest, which Scripts/check-consumers builds"
    )
    func examples() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let files = [here, root.appending(path: "Tests/ContractTests/ReadmeExamples.swift")]
        let compiled = Set(try files.flatMap { lines(of: try String(contentsOf: $0, encoding: .utf8)) })
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count >= 5)
        for block in blocks where !block.hasPrefix("// Package.swift") {
            for line in lines(of: block) { #expect(compiled.contains(line), "not compiled: \(line)") }
        }
    }

    private func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
