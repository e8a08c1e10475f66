import AppleFoundation
import Foundation
import ImageIO
import ImageLoaderKit
import ImageMonitoring
import ImageTesting
import Testing

// The loader as apps create it on Apple's platforms, over a fake ImageIO and a scripted network.
extension ProcessState {
    @Suite("ImageLoaderKit on Apple's platforms")
    struct LoaderKitTests {
        private let transport = ScriptedTransport()

        /// An opaque 40 × 20 image, red on the left half and blue on the right.
        private var photo: Data {
            let row = (0..<40).flatMap { $0 < 20 ? [255, 0, 0, 255] : [0, 0, 255, 255] as [UInt8] }
            let pixels = Array(repeating: row, count: 20).flatMap(\.self)
            return ToyFile(type: "public.heic", width: 40, height: 20, frames: [ToyFile.Frame(pixels: pixels)]).data
        }

        private func url(_ name: String = "a") throws -> URL {
            try #require(URL(string: "https://example.com/\(name)"))
        }

        private func makeLoader(in folder: URL? = nil) throws -> ImageLoader {
            var options = ImageLoaderOptions(cacheDirectory: folder)
            options.makeTransport = { _ in transport }
            // Another test raises the pressure of the process.
            options.memoryPressureMonitor = nil
            return ImageLoader(options)
        }

        @Test("the codecs are those of ImageIO, which read HEIC and AVIF")
        func codecs() {
            #expect([any ImageDecoder].standard.map(\.format) == [.jpeg, .png, .webP, .gif, .heic, .avif, .tiff])
            #expect([any ImageEncoder].standard.map(\.format) == [.jpeg, .png, .gif, .heic, .avif, .tiff])
        }

        @Test("loads, decodes to the requested size and remembers an image")
        func load() async throws {
            transport.script(try url(), .ok(photo))
            let loader = try makeLoader()
            let image = try await loader.image(for: url(), target: .fit(PixelSize(width: 20, height: 20)))
            #expect(image.bitmap.size == PixelSize(width: 20, height: 10))
            #expect(Array(image.bitmap.pixels.prefix(4)) == [255, 0, 0, 255])
            #expect(Array(image.bitmap.pixels.suffix(4)) == [0, 0, 255, 255])
            let again = try await loader.image(for: url(), target: .fit(PixelSize(width: 20, height: 20)))
            #expect(again.source == .memory)
        }

        @Test("a wide gamut stays in Display P3, unless the request wants sRGB, in which ImageIO draws then")
        func color() async throws {
            let frame = ToyFile.Frame(pixels: Array(repeating: [255, 0, 0, 255], count: 4).flatMap(\.self))
            var file = ToyFile(type: "public.heic", width: 2, height: 2, frames: [frame])
            file.isDisplayP3 = true
            file.hasGainMap = true
            transport.script(try url(), .ok(file.data))
            let loader = try makeLoader()
            var request = ImageRequest(url: try url())
            let wide = try await loader.image(for: request).bitmap
            #expect(wide.colorSpace == .displayP3)
            #expect(Array(wide.pixels.prefix(4)) == [255, 0, 0, 255])
            request.color = .sRGB
            for range in [DynamicRange.standard, .high] {
                request.dynamicRange = range
                let narrow = try await loader.image(for: request).bitmap
                #expect(narrow.colorSpace == .sRGB && (narrow.hdr != nil) == (range == .high))
                #expect(Array(narrow.pixels.prefix(4)) == [0, 255, 255, 255])
            }
        }

        @Test("another loader finds the original on disk")
        func disk() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "kit-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            transport.script(try url(), .ok(photo, headers: [.cacheControl: "max-age=60"]))
            _ = try await makeLoader(in: folder).image(for: url())
            #expect(try await makeLoader(in: folder).image(for: url()).source == .disk)
        }

        @Test("encodes formats that ImageIO writes, and says which it can't")
        func encoding() async throws {
            transport.script(try url(), .ok(photo))
            let image = try await makeLoader().image(for: url())
            let file = try await image.encoded(as: .png)
            let header = try DownsamplingDecoder.standard().header(of: file)
            #expect(header.format == .png)
            #expect(header.storedSize == image.bitmap.size)
            await #expect(throws: ImageEncodingError.noEncoder(.webP)) { try await image.encoded(as: .webP) }
        }

        @Test("observes memory pressure and the network by default, and forbids Low Data Mode if asked to")
        func conditions() throws {
            var options = ImageLoaderOptions(cacheDirectory: nil)
            #expect(options.memoryPressureMonitor is DispatchMemoryPressureMonitor)
            #expect(options.connectivityMonitor is NetworkConnectivityMonitor)
            #expect(!ConstrainedAccessStub.isForbidden.withLock { $0 })
            options.allowsConstrainedNetworkAccess = false
            _ = options.makeNetwork()
            #expect(ConstrainedAccessStub.isForbidden.withLock { $0 })
        }

        @Test("the standard directory is in the caches directory")
        func directory() throws {
            #expect(CacheDirectory.standard(name: "App").path.hasSuffix("Caches/App/images"))
        }
    }
}
