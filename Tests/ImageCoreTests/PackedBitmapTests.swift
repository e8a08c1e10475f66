import ImageCore
import Testing

@Suite("Packed bitmaps")
struct PackedBitmapTests {
    private let size = PixelSize(width: 3, height: 1)
    private let pixels: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255]
    private var opaque: Bitmap { Bitmap(size: size, pixels: pixels, isOpaque: true) }

    @Test("an opaque image is packed into three bytes per pixel and equals the original")
    func opaqueImage() {
        let packed = opaque.packed()
        #expect(packed.packedPixels == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(packed.byteCount == 9)
        #expect(packed.pixels == pixels)
        #expect(packed.isOpaque)
        #expect(packed.bytesPerRow == 12)
        #expect(packed == opaque)
        #expect(packed.hashValue == opaque.hashValue)
        #expect(packed.packed().packedPixels == packed.packedPixels)
    }

    @Test("an image for HDR displays has their pixels, too, and returns its memory with its last copy")
    func hdr() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let side = PixelSize(width: 200, height: 200)
        let hdr = HDRPixels(samples: [UInt16](repeating: 1, count: side.area * 4), headroom: 2)
        var image: Bitmap? = Bitmap(
            size: side, pixels: [UInt8](repeating: 255, count: side.area * 4), colorSpace: .displayP3, pool: pool)
        var bright = image?.adding(hdr)
        #expect(bright != image && bright?.hdr == hdr && bright?.byteCount == side.area * 12)
        #expect(image?.packed().colorSpace == .displayP3)
        image = nil
        #expect(pool.idleByteCount == 0)
        bright = nil
        #expect(pool.idleByteCount > 0)
    }

    @Test("an image with transparency is not packed")
    func transparentImage() {
        let clear = Bitmap(size: size, pixels: pixels.map { $0 == 255 ? 7 : $0 }, isOpaque: false)
        #expect(clear.packed().packedPixels == nil)
        #expect(clear.packed() == clear)
    }

    @Test("packing an image returns the memory of its pixels to the pool")
    func pool() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let side = PixelSize(width: 200, height: 200)
        var image: Bitmap? = Bitmap(
            size: side, pixels: [UInt8](repeating: 255, count: side.area * 4), isOpaque: true, pool: pool)
        let packed = image?.packed()
        image = nil
        #expect(pool.idleByteCount > 0)
        #expect(packed?.byteCount == side.area * 3)
    }
}
