import ImageCore
import Testing

@Suite("ImageEncodingError")
struct EncodingFailureTests {
    @Test("the text of a size names the limit of the format")
    func sizes() {
        let size = PixelSize(width: 16_384, height: 2)
        #expect(
            "\(ImageEncodingError.unsupportedSize(.webP, size))"
                == "webp can't hold an image of 16384x2 pixels: each side has from 1 to 16383")
        #expect(
            "\(ImageEncodingError.unsupportedSize(.jpegXL, size))".hasSuffix("262144, and the area at most 268435456"))
        #expect("\(ImageEncodingError.unsupportedSize(.png, size))" == "png can't hold an image of 16384x2 pixels")
    }

    @Test("the text of other failures is a sentence with the format")
    func others() {
        #expect("\(ImageEncodingError.failed(.heic, "out of memory"))" == "heic was not written: out of memory")
        #expect("\(ImageEncodingError.animationUnsupported(.jpeg))".hasPrefix("jpeg can't hold an animation"))
    }
}
