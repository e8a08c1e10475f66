import ImageCore
import ImageProcessing
import Testing

@Suite("Pixels arranged for a toolkit")
struct PixelSurfaceTests {
    private static let translucent = Bitmap(
        size: PixelSize(width: 1, height: 2), pixels: [200, 100, 51, 128, 255, 1, 2, 0], isOpaque: false)
    private static let opaque = Bitmap(
        size: PixelSize(width: 1, height: 2), pixels: [1, 2, 3, 255, 4, 5, 6, 255], isOpaque: true)

    @Test("straight RGBA is the image itself, without a copy")
    func same() {
        let surface = PixelSurface(Self.translucent, format: SurfaceFormat(.rgba))
        #expect(surface.bytes == Self.translucent.pixels)
        #expect(address(of: surface.bytes) == address(of: Self.translucent.pixels))
        let premultiplied = PixelSurface(Self.opaque, format: SurfaceFormat(.rgba, isPremultiplied: true))
        #expect(address(of: premultiplied.bytes) == address(of: Self.opaque.pixels))
    }

    @Test("premultiplied colour is colour times alpha, rounded to the nearest")
    func premultiplied() {
        let surface = PixelSurface(Self.translucent, format: SurfaceFormat(.rgba, isPremultiplied: true))
        #expect(surface.bytes == [100, 50, 26, 128, 0, 0, 0, 0])
    }

    @Test("blue comes first in BGRA")
    func bgra() {
        #expect(PixelSurface(Self.opaque, format: SurfaceFormat(.bgra)).bytes == [3, 2, 1, 255, 6, 5, 4, 255])
    }

    @Test("three bytes a pixel are enough for an opaque image, and show others over black")
    func rgb() {
        #expect(PixelSurface(Self.opaque, format: SurfaceFormat(.rgb)).bytes == [1, 2, 3, 4, 5, 6])
        #expect(PixelSurface(Self.translucent, format: SurfaceFormat(.rgb)).bytes == [100, 50, 26, 0, 0, 0])
    }

    @Test("rows are as long as the alignment asks, with zeros at their ends", arguments: [1, 4, 16, 64])
    func aligned(_ alignment: Int) {
        let surface = PixelSurface(Self.opaque, format: SurfaceFormat(.rgb, rowAlignment: alignment))
        #expect(surface.bytesPerRow == max(3, (3 + alignment - 1) / alignment * alignment))
        let padding = [UInt8](repeating: 0, count: surface.bytesPerRow - 3)
        #expect(surface.bytes == [1, 2, 3] + padding + [4, 5, 6] + padding)
    }

    /// Where the bytes lie; never followed.
    private func address(of bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }
}
