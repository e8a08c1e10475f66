import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct RenderingLimitsTests {
    @Test(
        "allow the memory of the codecs that hold the whole image beside the result, for the largest source",
        arguments: [1_000_000, 49_000_000, 50_000_000])
    func wholeImages(pixels: Int) {
        let limits = RenderingLimits(sourcePixels: pixels).decoding
        // A progressive CMYK JPEG with its coefficients, or a lossless WebP and the tables of libwebp for 1,000 groups.
        #expect(limits.decodedByteLimit >= max(pixels * 12, pixels * 8 + 1_000 * 16_000))
        #expect(limits.maxPixels == pixels)
        let small = RenderingLimits(sourcePixels: 1_000, resultPixels: pixels)
        #expect(small.resizing.maxPixels == pixels && small.decoding.decodedByteLimit >= pixels * 12)
        // The README promises 12 bytes per pixel; tables of libwebp come on top.
        #expect(RenderingLimits().decoding.decodedByteLimit <= 700_000_000)
    }

    @Test("a worker has the memory of libjxl and libavif for the largest source and result")
    func workerMemory() {
        let limits = RenderingLimits(sourcePixels: 1_000_000, resultPixels: 2_000_000)
        #expect(limits.worker.decodedByteLimit >= 52_000_000)
        #expect(limits.workerBytes >= 768 << 20 + 180_000_000 && limits.workerBytes < 1 << 30)
    }
}
