import ImageCore
import Testing

@Suite("Names of formats")
struct ImageFormatTests {
    private static let formats: [ImageFormat] = [
        .jpeg, .png, .webP, .gif, .avif, .heic, .jpegXL, .bmp, .ico, .tiff, .svg,
    ]

    @Test("a format is found by its extension and its media type", arguments: formats)
    func names(_ format: ImageFormat) {
        #expect(ImageFormat(fileExtension: format.fileExtension) == format)
        #expect(ImageFormat(mediaType: format.mediaType) == format)
    }

    @Test(
        "other extensions of a format are found in any case",
        arguments: [
            ("JPG", ImageFormat.jpeg), ("jpeg", .jpeg), ("jfif", .jpeg), ("HEIF", .heic), ("hif", .heic),
            ("tif", .tiff),
            ("cur", .ico),
        ])
    func extensions(_ text: String, _ format: ImageFormat) {
        #expect(ImageFormat(fileExtension: text) == format)
    }

    @Test(
        "media types are found with parameters, and those of sequences",
        arguments: [
            ("Image/WebP; q=0.8", ImageFormat.webP), ("image/png ;q=1", .png), ("image/heif", .heic),
            ("image/heic-sequence", .heic),
            ("image/jxl;a=b", .jpegXL), ("image/x-icon", .ico), ("image/svg+xml;charset=utf-8", .svg),
        ])
    func mediaTypes(_ text: String, _ format: ImageFormat) {
        #expect(ImageFormat(mediaType: text) == format)
    }

    @Test(
        "what is no image of these formats is nil", arguments: ["", "jpg ", "text/png", "image/", "image/qoi", "png"])
    func unknown(_ text: String) {
        #expect(ImageFormat(mediaType: text) == nil)
        #expect(ImageFormat(fileExtension: text) == (text == "png" ? .png : nil))
    }

    @Test("the usual names are short")
    func usualNames() {
        #expect(ImageFormat.jpeg.fileExtension == "jpg" && ImageFormat.jpegXL.fileExtension == "jxl")
        #expect(ImageFormat.jpeg.mediaType == "image/jpeg" && ImageFormat.jpegXL.mediaType == "image/jxl")
        #expect(ImageFormat.ico.mediaType == "image/vnd.microsoft.icon")
    }
}
