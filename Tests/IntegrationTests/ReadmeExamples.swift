import Foundation
import ImageLoaderKit
import Testing

#if AVIF && HEIF
    import ImageCodecAVIF
    import ImageCodecHEIF
#endif

// The examples of README.md. `ReadmeTests` fails if a line of an example is missing here.

private func writeThumbnail() async throws {
    let loader = ImageLoader()
    if let url = URL(webAddress: "https://example.com/photo.jpg") {
        let image = try await loader.image(for: url, target: .fit(width: 300, height: 300))
        try await image.write(to: URL(filePath: "thumbnail.jpg"), as: .jpeg)
    }
}

#if AVIF && HEIF
    private func makeLoaderOfMoreFormats(cacheDirectory: URL) throws -> ImageLoader {
        let decoders: [any ImageDecoder] = .standard + [AVIFDecoder(), HEIFDecoder()]
        let loader = ImageLoader(cacheDirectory: cacheDirectory, decoders: decoders)
        return loader
    }
#endif

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

@Suite("README")
struct ReadmeTests {
    @Test(
        "each example line is in a compiled file, except the manifest, which Scripts/check-consumers builds"
    )
    func examples() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let compiled = Set(lines(of: try String(contentsOf: here, encoding: .utf8)))
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
