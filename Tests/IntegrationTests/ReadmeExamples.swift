import Foundation
import ImageLoaderKit
import Testing

#if AVIF && HEIF
    import ImageCodecAVIF
    import ImageCodecHEIF
#endif

// The examples of README.md. `ReadmeTests` fails if a line of an example is missing here.

private func loadImage(_ url: URL, cacheDirectory: URL) async throws -> LoadedImage {
    let loader = ImageLoader(cacheDirectory: cacheDirectory)
    let image = try await loader.image(for: url, target: .fit(width: 300, height: 300))
    return image
}

#if AVIF && HEIF
    private func makeLoaderOfMoreFormats(cacheDirectory: URL) throws -> ImageLoader {
        let decoders: [any ImageDecoder] = .standard + [AVIFDecoder(), HEIFDecoder()]
        let loader = ImageLoader(cacheDirectory: cacheDirectory, decoders: decoders)
        return loader
    }
#endif

private func configure(cacheDirectory: URL) throws -> ImageLoader {
    let loader = ImageLoader(cacheDirectory: cacheDirectory) { $0.memoryByteLimit = 50_000_000 }
    return loader
}

private func showImage(_ url: URL, loader: ImageLoader, show: (Bitmap) -> Void) async throws {
    let request = ImageRequest(url: url, target: .fill(PixelSize(width: 300, height: 300)), processors: [.circle()])
    if let hit = loader.cachedImage(for: request) {
        show(hit.bitmap)
    } else {
        show(try await loader.image(for: request).bitmap)
    }
}

private func useLoader(
    _ loader: ImageLoader, url: URL, request: ImageRequest, upcoming: [ImageRequest], file: URL,
    report: @escaping @Sendable (WorkProgress) -> Void
) async throws {
    let prefetcher = ImagePrefetcher(loader: loader)
    prefetcher.start(upcoming)

    let image = try await loader.image(for: url, priority: .high) { progress in report(progress) }
    try await image.write(to: file, as: .jpeg)

    await loader.removeCachedImages(for: request)
    try await loader.removeAllCachedImages()
}

/// Reports each request that is sent.
struct ReportingTransport: DataTransport {
    let base: any DataTransport

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        print(request.method, request.url)
        return try await base.send(request)
    }
}

private func makeReportingLoader(cacheDirectory: URL, token: String) throws -> ImageLoader {
    let loader = ImageLoader(cacheDirectory: cacheDirectory) { options in
        options.makeTransport = { ReportingTransport(base: $0) }
        options.requestModifier = {
            $0.headers[.authorization] = "Bearer \(token)"
        }
    }
    return loader
}

@Suite("README")
struct ReadmeTests {
    @Test(
        "each example line is in a compiled file, except the manifest, which Scripts/check-consumers builds"
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
