import ImageCore
import ImageProcessing
import Testing

@Suite("PixelSurface")
struct PixelSurfaceTests {
    private static let translucent = Bitmap(
        size: PixelSize(width: 1, height: 2), pixels: [200, 100, 51, 128, 255, 1, 2, 0], isOpaque: false)
    private static let opaque = Bitmap(
        size: PixelSize(width: 1, height: 2), pixels: [1, 2, 3, 255, 4, 5, 6, 255], isOpaque: true)

    @Test("shares the memory of the image for straight RGBA")
    func same() {
        let surface = PixelSurface(Self.translucent, format: SurfaceFormat(.rgba))
        #expect(surface.bytes == Self.translucent.pixels)
        #expect(address(of: surface.bytes) == address(of: Self.translucent.pixels))
        let premultiplied = PixelSurface(Self.opaque, format: SurfaceFormat(.rgba, isPremultiplied: true))
        #expect(address(of: premultiplied.bytes) == address(of: Self.opaque.pixels))
    }

    @Test("premultiplies color and rounds to the nearest level")
    func premultiplied() {
        let surface = PixelSurface(Self.translucent, format: SurfaceFormat(.rgba, isPremultiplied: true))
        #expect(surface.bytes == [100, 50, 26, 128, 0, 0, 0, 0])
    }

    @Test("BGRA starts with blue")
    func bgra() {
        #expect(PixelSurface(Self.opaque, format: SurfaceFormat(.bgra)).bytes == [3, 2, 1, 255, 6, 5, 4, 255])
    }

    @Test("RGB stores three bytes per pixel and composites over black")
    func rgb() {
        #expect(PixelSurface(Self.opaque, format: SurfaceFormat(.rgb)).bytes == [1, 2, 3, 4, 5, 6])
        #expect(PixelSurface(Self.translucent, format: SurfaceFormat(.rgb)).bytes == [100, 50, 26, 0, 0, 0])
    }

    @Test("pads rows with zeros to the alignment", arguments: [1, 4, 16, 64])
    func aligned(_ alignment: Int) {
        let surface = PixelSurface(Self.opaque, format: SurfaceFormat(.rgb, rowAlignment: alignment))
        #expect(surface.bytesPerRow == max(3, (3 + alignment - 1) / alignment * alignment))
        let padding = [UInt8](repeating: 0, count: surface.bytesPerRow - 3)
        #expect(surface.bytes == [1, 2, 3] + padding + [4, 5, 6] + padding)
    }

    /// Returns the address of the bytes, which is only compared.
    private func address(of bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }
}
