import ImageCore
import Testing

@Suite("PixelBufferPool")
struct PixelBufferPoolTests {
    private static let size = PixelSize(width: 256, height: 256)
    private static let byteCount = size.area * 4

    @Test("the memory of an image is returned with its last copy and is reused")
    func reuse() throws {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        var copies = [Self.bitmap(pool)]
        copies.append(copies[0])
        copies.removeLast()
        #expect(pool.idleByteCount == 0)
        copies.removeLast()
        // The system may have allocated more than requested.
        let capacity = pool.idleByteCount
        #expect(capacity >= Self.byteCount)
        let again = pool.take(byteCount: capacity - capacity / 10)
        #expect(again.isEmpty)
        #expect(again.capacity == capacity)
        #expect(pool.idleByteCount == 0)
    }

    @Test("memory that is still in use is not reused")
    func sharedMemory() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        var bitmap: Bitmap? = Self.bitmap(pool)
        let kept = bitmap?.pixels
        bitmap = nil
        var next = pool.take(byteCount: Self.byteCount)
        next.append(contentsOf: repeatElement(9, count: Self.byteCount))
        #expect(kept == [UInt8](repeating: 7, count: Self.byteCount))
    }

    @Test("the memory that has been idle for longest is freed at the limit")
    func limit() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        for bytes in [400, 500, 300] {
            pool.give([UInt8](repeating: 1, count: bytes << 10))
        }
        #expect((800 << 10..<1 << 20).contains(pool.idleByteCount))
        #expect(pool.take(byteCount: 400 << 10).capacity < 500 << 10)
        #expect((800 << 10..<1 << 20).contains(pool.idleByteCount), "the 400 KiB must be freed")
        pool.give([UInt8](repeating: 1, count: 2 << 20))
        #expect((800 << 10..<1 << 20).contains(pool.idleByteCount), "a buffer above the limit must not be stored")
        pool.removeAll()
        #expect(pool.idleByteCount == 0)
    }

    @Test("of the buffers that are large enough, the smallest is reused", arguments: [[300, 280], [280, 300]])
    func best(kilobytes: [Int]) {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        for size in kilobytes { pool.give([UInt8](repeating: 1, count: size << 10)) }
        #expect(pool.take(byteCount: 270 << 10).capacity < 300 << 10)
    }

    @Test("much larger memory than needed is not reused, and the memory of small images is not stored")
    func fit() {
        let pool = PixelBufferPool(byteLimit: 1 << 22)
        pool.give([UInt8](repeating: 1, count: 1 << 20))
        #expect(pool.take(byteCount: 1 << 19).capacity < 1 << 20)
        #expect(pool.take(byteCount: 1 << 21).capacity >= 1 << 21)
        #expect(pool.idleByteCount >= 1 << 20)
        let idle = pool.idleByteCount
        pool.give([UInt8](repeating: 1, count: 1 << 10))
        #expect(pool.idleByteCount == idle)
    }

    @Test("filled memory has the requested size, whether reused or new", arguments: [200, 256, 270])
    func filled(_ kilobytes: Int) {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        pool.give([UInt8](repeating: 7, count: 256 << 10))
        let buffer = pool.takeFilled(byteCount: kilobytes << 10)
        #expect(buffer.count == kilobytes << 10)
        #expect((pool.idleByteCount == 0) == (kilobytes == 256))
        let smaller = PixelBufferPool(byteLimit: 1 << 20)
        smaller.give([UInt8](repeating: 7, count: 256 << 10))
        #expect(smaller.takeFilled(byteCount: 250 << 10).count == 250 << 10)
        #expect(smaller.idleByteCount == 0)
    }

    private static func bitmap(_ pool: PixelBufferPool) -> Bitmap {
        var pixels = pool.take(byteCount: byteCount)
        pixels.append(contentsOf: repeatElement(7, count: byteCount))
        return Bitmap(size: size, pixels: pixels, isOpaque: false, pool: pool)
    }
}
