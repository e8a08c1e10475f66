import CoreGraphics
import Foundation
import ImageContractTesting
import ImageCore
import ImageIO
import ImageLoaderKit
import ImageTesting
import Testing

@testable import ImageCodecImageIO

// Over a fake ImageIO that reads and writes toy files: it shows what the adapter does with what ImageIO returns.
@Suite("ImageIO codec")
struct ImageIOTests {
    private func bitmap(isOpaque: Bool) -> Bitmap {
        Bitmap(size: PixelSize(width: 3, height: 2), pixels: Array(0..<24), isOpaque: isOpaque)
    }

    @Test("makes a CGImage once, over the memory of the bitmap, which it keeps", arguments: [true, false])
    func image(isOpaque: Bool) throws {
        var bitmap: Bitmap? = bitmap(isOpaque: isOpaque)
        let image = try #require(bitmap?.cgImage)
        #expect(image.width == 3)
        #expect(image.height == 2)
        let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
        #expect(image.bitmapInfo == CGBitmapInfo(rawValue: alpha.rawValue))
        let copy = bitmap
        #expect(copy?.cgImage === image)
        let address = bitmap?.pixels.withUnsafeBytes { $0.baseAddress }
        #expect(image.dataProvider?.bytes.baseAddress == address)
        weak let released = image
        bitmap = nil
        #expect(image.dataProvider?.data == Data(0..<24))
        #expect(released != nil)
    }

    @Test("a bitmap releases its CGImage, and that releases the pixels")
    func release() {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        var bitmap: Bitmap? = Bitmap(
            size: PixelSize(width: 256, height: 256), pixels: pool.takeFilled(byteCount: 1 << 18), isOpaque: true,
            pool: pool)
        weak let image = bitmap?.cgImage
        #expect(image != nil)
        bitmap = nil
        #expect(image == nil)
        #expect(pool.idleByteCount >= 1 << 18)
    }

    @Test("does not convert an empty bitmap")
    func empty() {
        let empty = Bitmap(size: PixelSize(width: 0, height: 0), pixels: [], isOpaque: true)
        #expect(empty.cgImage == nil)
    }

    /// A 4 × 2 image whose red is the index of the pixel, half transparent.
    private var file: ToyFile {
        let pixels = (0..<8).flatMap { red -> [UInt8] in [UInt8(red) * 30, 200, 100, 128] }
        var file = ToyFile(type: "public.png", width: 4, height: 2, frames: [ToyFile.Frame(pixels: pixels)])
        file.hasAlpha = true
        return file
    }

    private var opaque: Bitmap {
        let pixels = (0..<6).flatMap { red -> [UInt8] in [UInt8(red), 7, 9, 255] }
        return Bitmap(size: PixelSize(width: 3, height: 2), pixels: pixels, isOpaque: true)
    }

    private func decode(_ opened: any OpenedImage, frame: Int = 0, size: PixelSize) throws -> [UInt8] {
        let sink = CollectingRowSink()
        try opened.decode(frame: frame, size: size, layout: .rgba8, preference: .quality, into: sink)
        return sink.pixels
    }

    @Test("there are codecs for the formats that the system reads and writes")
    func available() {
        let formats: [ImageFormat] = [.jpeg, .png, .webP, .gif, .heic, .avif, .tiff]
        #expect(ImageIODecoder.available.map(\.format) == formats)
        #expect(ImageIOEncoder.available.map(\.format) == formats.filter { $0 != .webP })
    }

    @Test("a format that only the system knows is recognized by its bytes, read and written")
    func systemFormat() throws {
        let file = try ImageIOEncoder(.tiff).encode(opaque, options: EncodingOptions())
        let prefix = file.prefix(FileSignature.byteCount)
        #expect(ImageIODecoder.available.filter { $0.recognizes(prefix) }.map(\.format) == [.tiff])
        let opened = try ImageIODecoder(.tiff).open(file, limits: .default)
        #expect(opened.header.format == .tiff)
        #expect(try decode(opened, size: opaque.size) == opaque.pixels)
        #expect(!ImageIODecoder(.tiff).recognizes(self.file.data))
        #expect(!ImageIODecoder(.png).recognizes(prefix))
        #expect(!ImageIODecoder(.tiff).recognizes(Data()))
        #expect(throws: ImageEncodingError.self) {
            try ImageIOEncoder(ImageFormat(rawValue: "none")).encode(opaque, options: EncodingOptions())
        }
    }

    @Test("reads the header, and decodes the full size with straight alpha")
    func full() throws {
        var file = file
        file.orientation = 6
        let opened = try ImageIODecoder(.png).open(file.data, limits: .default)
        #expect(opened.header.storedSize == PixelSize(width: 4, height: 2))
        #expect(opened.header.orientation == .right)
        #expect(opened.header.hasAlpha)
        let pixels = try decode(opened, size: PixelSize(width: 4, height: 2))
        // Premultiplied alpha keeps half of the precision.
        for (decoded, stored) in zip(pixels, file.frames[0].pixels) { #expect(abs(Int(decoded) - Int(stored)) <= 1) }
    }

    @Test("decodes half of the size with a thumbnail")
    func half() throws {
        let opened = try ImageIODecoder(.png).open(file.data, limits: .default)
        let size = PixelSize(width: 2, height: 1)
        #expect(opened.decodableSize(covering: size) == size)
        #expect(try decode(opened, size: size).count == 8)
        #expect(throws: ImageDecodingError.self) { try decode(opened, size: PixelSize(width: 3, height: 2)) }
    }

    @Test(
        "reads delays and loops of an animation by the rules of the other decoders",
        arguments: [("com.compuserve.gif", .gif, 4), ("public.png", .png, 3), ("org.webmproject.webp", .webP, 3)]
            as [(String, ImageFormat, Int)])
    func animation(type: String, format: ImageFormat, loops: Int) throws {
        let frames = [2, 0, 1, 50].map { ToyFile.Frame(hundredths: $0, pixels: [UInt8](repeating: 9, count: 16)) }
        var file = ToyFile(type: type, width: 2, height: 2, frames: frames)
        file.loopCount = 3
        let opened = try ImageIODecoder(format).open(file.data, limits: .default)
        #expect(opened.header.frameDelays == [20, 100, 100, 500].map { .milliseconds($0) })
        #expect(opened.header.loopCount == loops)
        let size = PixelSize(width: 2, height: 2)
        #expect(opened.decodableSize(covering: PixelSize(width: 1, height: 1)) == size)
        #expect(throws: ImageDecodingError.noSuchFrame(4, frameCount: 4)) { try decode(opened, frame: 4, size: size) }
    }

    @Test("a truncated file delivers its rows and throws, and a limit is checked before pixels are decoded")
    func damaged() throws {
        let opened = try ImageIODecoder(.png).open(file.data.dropLast(4), limits: .default)
        #expect(throws: ImageDecodingError.truncated(.png)) { try decode(opened, size: PixelSize(width: 4, height: 2)) }
        var limits = DecodingLimits.default
        limits.maxPixels = 7
        #expect(throws: ImageDecodingError.self) { try ImageIODecoder(.png).open(file.data, limits: limits) }
    }

    @Test("previews show all rows, one pass more for each quarter more bytes, and none of an animation")
    func previews() throws {
        let size = PixelSize(width: 10, height: 40)
        let frame = ToyFile.Frame(pixels: [UInt8](repeating: 200, count: 1_600))
        let file = ToyFile(type: "public.jpeg", width: size.width, height: size.height, frames: [frame]).data
        let image = ImageIODecoder(.jpeg).makeIncrementalImage(limits: .default)
        try image.append(file.prefix(255))
        #expect(image.header == nil)
        try image.append(file[255..<256])
        #expect(image.header?.storedSize == size && image.extent == .nothing)
        try image.start(size: size, layout: .rgba8)
        #expect(image.extent == PreviewExtent(passes: 1, rows: 40))
        #expect(try preview(image).filter { $0 == 200 }.count == 173)
        try image.append(file[256..<400])
        #expect(image.extent == PreviewExtent(passes: 3, rows: 40), "256, 320 and 400 bytes")
        #expect(try preview(image).filter { $0 == 200 }.count == 281)
        try IncrementalDecodingCheck(ImageIODecoder(.jpeg), expectsWholeImages: false)
            .check(file, splitInto: [1, 100, 7], divisor: 2)
        var animation = ToyFile(type: "public.png", width: 10, height: 40, frames: [frame, frame])
        animation.hasAlpha = true
        let moving = ImageIODecoder(.png).makeIncrementalImage(limits: .default)
        try moving.append(animation.data)
        try moving.start(size: size, layout: .rgba8)
        #expect(moving.extent == .nothing)
        var limits = DecodingLimits.default
        limits.maxPixels = 399
        #expect(throws: ImageDecodingError.self) {
            try ImageIODecoder(.jpeg).makeIncrementalImage(limits: limits).append(file)
        }
    }

    private func preview(_ image: any IncrementalImage) throws -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decodePreview(into: sink)
        return sink.pixels
    }

    @Test("encodes an image that it can decode")
    func roundTrip() throws {
        let still = try ImageIOEncoder(.heic).encode(opaque, options: EncodingOptions())
        let opened = try ImageIODecoder(.heic).open(still, limits: .default)
        #expect(try decode(opened, size: opaque.size) == opaque.pixels)
    }

    @Test("encodes an animation that it can decode", arguments: [ImageFormat.gif, .png], [0, 1, 3])
    func animationRoundTrip(_ format: ImageFormat, loops: Int) throws {
        let frames = [AnimationFrame(bitmap: opaque, delay: .milliseconds(40))]
        let animation = try ImageIOEncoder(format).encode(frames + frames, loopCount: loops, options: EncodingOptions())
        let header = try ImageIODecoder(format).open(animation, limits: .default).header
        #expect(header.frameDelays == [.milliseconds(40), .milliseconds(40)])
        #expect(header.loopCount == loops)
    }

    @Test("progressive files are JPEG and PNG", arguments: [ImageFormat.jpeg, .png, .heic])
    func progressive(_ format: ImageFormat) throws {
        for isProgressive in [true, false] {
            let file = try ImageIOEncoder(format).encode(opaque, options: EncodingOptions(isProgressive: isProgressive))
            #expect(ToyFile(file)?.isProgressive == (isProgressive && format != .heic))
        }
    }

    @Test("a CGImage has the color space of its bitmap, and files keep it, except GIF", arguments: ColorSpace.allCases)
    func colorSpace(_ space: ColorSpace) throws {
        let colors: [[UInt8]] = [[90, 90, 90, 255], [0, 0, 0, 255], [9, 200, 7, 255], [255, 0, 0, 255]]
        let pixels = Array(colors.joined())
        let bitmap = Bitmap(size: PixelSize(width: 2, height: 2), pixels: pixels, isOpaque: true, colorSpace: space)
        let name = space == .sRGB ? CGColorSpace.sRGB : CGColorSpace.displayP3
        #expect(try #require(bitmap.cgImage?.colorSpace).name == name)
        let file = try ImageIOEncoder(.heic).encode(bitmap, options: EncodingOptions())
        let opened = try ImageIODecoder(.heic).open(file, limits: .default)
        #expect(opened.header.color == SourceColor(primaries: space.primaries, transfer: space.transfer))
        #expect(try decode(opened, size: bitmap.size) == pixels)
        for gif in [
            try ImageIOEncoder(.gif).encode(bitmap, options: EncodingOptions()),
            try ImageIOEncoder(.gif).encode(
                Array(repeating: AnimationFrame(bitmap: bitmap, delay: .zero), count: 2), loopCount: 1,
                options: EncodingOptions()),
        ] {
            let opened = try ImageIODecoder(.gif).open(gif, limits: .default)
            #expect(opened.header.color == .sRGB)
            #expect(try decode(opened, size: bitmap.size) == bitmap.converted(to: .sRGB).pixels)
        }
    }

    @Test(
        "images, frames and previews are drawn in the color space of the request",
        arguments: [true, false], OutputColor.allCases)
    func requestedColor(isDisplayP3: Bool, color: OutputColor) throws {
        let frame = ToyFile.Frame(pixels: [UInt8](repeating: 200, count: 1_600))
        var file = ToyFile(type: "public.jpeg", width: 10, height: 40, frames: [frame])
        file.isDisplayP3 = isDisplayP3
        let stored: ColorSpace = isDisplayP3 ? .displayP3 : .sRGB
        let drawn = if case .space(let space) = color { space } else { stored }
        let decoder = DownsamplingDecoder(decoders: [ImageIODecoder(.jpeg)])
        let request = DecodingRequest(color: color)
        let session = try #require(decoder.makeSession(request: request, throttle: .unlimited))
        let preview = try session.append(file.data, at: .zero) { false }
        for bitmap in [
            try decoder.decode(file.data, request: request).bitmap,
            try decoder.makeFrameReader(of: file.data, request: request).frame(at: 0, isCancelled: { false }),
            try #require(preview).bitmap,
        ] {
            #expect(bitmap.colorSpace == drawn)
            // The toy inverts colors in place of a conversion.
            #expect(bitmap.pixels[0] == (drawn == stored ? 200 : 55))
        }
        #expect(try decoder.header(of: file.data).color.primaries == stored.primaries)
    }

    @Test("a header says whether there is a gain map")
    func gainMap() throws {
        var file = file
        #expect(try !ImageIODecoder(.png).open(file.data, limits: .default).header.hasGainMap)
        file.hasGainMap = true
        #expect(try ImageIODecoder(.png).open(file.data, limits: .default).header.hasGainMap)
    }

    @Test("HDR is decoded for a part of the image, drawn with 16 bits, and not encoded")
    func hdr() throws {
        let part = PixelRegion(x: 1, y: 1, width: 2, height: 1)
        let image = PixelSize(width: 4, height: 2)
        let size = PixelSize(width: 2, height: 1)
        var file = file
        file.hasAlpha = false
        let hdr = try #require(HDRPixels(of: file.data, showing: part, of: image, in: size))
        // The toy inverts colors in place of a conversion.
        let expected = [5, 6].flatMap { [255 - $0 * 30, 55, 155, 255].map { UInt16($0 * 257) } }
        #expect(hdr == HDRPixels(samples: expected, headroom: 4))
        let bitmap = Bitmap(size: size, pixels: Array(file.frames[0].pixels.prefix(8)), isOpaque: true)
        let drawn = try #require(bitmap.adding(hdr).cgImage)
        #expect(drawn.colorSpace?.name == CGColorSpace.displayP3_PQ && drawn.bytesPerRow == 16)
        #expect(drawn.bitmapInfo.rawValue == CGImageAlphaInfo.noneSkipLast.rawValue | 1 << 12)
        #expect(drawn.dataProvider?.data == expected.withUnsafeBytes { Data($0) })
        let encoder = ImageIOEncoder(.heic)
        #expect(
            try encoder.encode(bitmap.adding(hdr), options: EncodingOptions())
                == encoder.encode(bitmap, options: EncodingOptions()))
        #expect(HDRPixels(of: Data(), showing: part, of: image, in: size) == nil)
    }

    @Test("throws if ImageIO rejects a file, a format or an image")
    func refused() throws {
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(throws: ImageDecodingError.unsupported(.png, "this version of the system can't read the format")) {
            try ImageIODecoder(.png).open(png, limits: .default)
        }
        #expect(throws: ImageDecodingError.malformed(.gif, "the signature is missing")) {
            try ImageIODecoder(.gif).open(png, limits: .default)
        }
        var empty = file
        empty.width = 0
        #expect(throws: ImageDecodingError.self) { try ImageIODecoder(.png).open(empty.data, limits: .default) }
        #expect(throws: ImageEncodingError.self) {
            try ImageIOEncoder(.webP).encode(opaque, options: EncodingOptions())
        }
        let frames = Array(repeating: AnimationFrame(bitmap: opaque, delay: .zero), count: 2)
        for format in [ImageFormat.jpeg, .webP] {
            #expect(throws: ImageEncodingError.animationUnsupported(format)) {
                try ImageIOEncoder(format).encode(frames, loopCount: 0, options: EncodingOptions())
            }
        }
        let nothing = PixelSize(width: 0, height: 0)
        #expect(throws: ImageEncodingError.unsupportedSize(.png, nothing)) {
            try ImageIOEncoder(.png).encode(
                Bitmap(size: nothing, pixels: [], isOpaque: true), options: EncodingOptions())
        }
    }

    @Test("a status of ImageIO says whether a file is truncated, unknown or damaged")
    func status() throws {
        let reader = SourceReader(try #require(CGImageSourceCreateWithData(Data(), nil)), format: .png)
        for status: CGImageSourceStatus in [.statusUnexpectedEOF, .statusIncomplete, .statusReadingHeader] {
            #expect(reader.failure(of: status) == .truncated(.png))
        }
        for status: CGImageSourceStatus in [.statusInvalidData, .statusComplete] {
            #expect(reader.failure(of: status) == .malformed(.png, "ImageIO rejected the data"))
        }
    }
}
