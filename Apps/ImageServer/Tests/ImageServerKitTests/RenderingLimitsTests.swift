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

    @Test(
        "of a large animation, the codecs that can't be interrupted decode one frame",
        arguments: [(ImageFormat.avif, 1), (.jpegXL, 1), (.webP, 3)])
    func largeAnimations(format: ImageFormat, count: Int) {
        var header = ImageHeader(format: format, storedSize: PixelSize(width: 4_096, height: 2_048))
        header.frameCount = 3
        #expect(RenderingLimits().frameCount(of: header) == 3)
        header.storedSize.width += 1
        #expect(RenderingLimits().frameCount(of: header) == count)
    }
}
