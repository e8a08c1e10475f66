import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import GeneratedImages

/// Limits count what is decoded and held. A codec that shrinks while it decodes needs little memory for a large image.
@Suite("Large images with the default limits")
struct LargeImageTests {
    private static let decoder = DownsamplingDecoder.standard()
    private static let memory = DecodingLimits.default.decodedByteLimit

    /// The sensors of 108 and 200 megapixels, in both orientations, and a stitched panorama.
    static let photographs = [
        PixelSize(width: 12_000, height: 9_000), PixelSize(width: 9_000, height: 12_000),
        PixelSize(width: 16_320, height: 12_240), PixelSize(width: 12_240, height: 16_320),
        PixelSize(width: 65_000, height: 6_000),
    ]

    private static func photograph(_ size: PixelSize, frame: UInt8 = 0xC0) -> Data {
        let components: [FlatJPEG.Component] = [.init(2, 2, level: 128), .init(level: 128), .init(level: 128)]
        return FlatJPEG(
            width: size.width, height: size.height, components: components, frameMarker: frame, isGray: true
        ).data
    }

    private func decode(_ data: Data, to side: Int? = nil) throws(ImageDecodingError) -> DecodedImage {
        let target = side.map { ImageTarget(PixelSize(width: $0, height: $0)) }
        return try Self.decoder.decode(data, request: DecodingRequest(target: target))
    }

    @Test("a large photograph decodes to a thumbnail", arguments: photographs)
    func thumbnail(size: PixelSize) throws {
        let isSensor = size.area <= 200_000_000
        // Of a progressive photograph, an eighth of the size needs a coefficient of each block of luma, and all of chroma.
        for frame in isSensor ? [0xC0, 0xC2] : [0xC0] as [UInt8] {
            let image = try decode(Self.photograph(size, frame: frame), to: 300)
            #expect(max(image.bitmap.size.width, image.bitmap.size.height) == 300)
            #expect(image.header.storedSize == size)
            #expect(image.bitmap.pixels.prefix(4) == [128, 128, 128, 255])
        }
    }

    @Test("a large photograph has previews at the size of a thumbnail")
    func previews() throws {
        let data = Self.photograph(PixelSize(width: 16_320, height: 12_240))
        let target = ImageTarget(PixelSize(width: 300, height: 300))
        let session = Self.decoder.makeSession(request: DecodingRequest(target: target), throttle: .unlimited)
        let preview = try session?.append(data.prefix(data.count / 2), at: .zero) { false }
        #expect(preview?.bitmap.size == PixelSize(width: 300, height: 225))
    }

    @Test(
        "at its full size, a large photograph exceeds the memory limit, which the error names", arguments: photographs)
    func fullSize(size: PixelSize) {
        #expect(
            throws: ImageDecodingError.limitExceeded(.decodedBytes, value: 4 * size.area, allowed: Self.memory)
        ) { try decode(Self.photograph(size)) }
    }

    @Test("the coefficients of a progressive photograph count as memory")
    func progressive() {
        let size = PixelSize(width: 16_320, height: 12_240)
        // Half the size: all coefficients, 1.5 per pixel of two bytes, and the output.
        let held = size.area * 3
        let failure = #expect(throws: ImageDecodingError.self) {
            try decode(Self.photograph(size, frame: 0xC2), to: 8_000)
        }
        guard case .limitExceeded(.decodedBytes, let value, Self.memory) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(value >= held)
    }

    @Test("an image that is held whole counts whole, and one that is decoded row by row doesn't")
    func png() {
        var file = RawPNG(width: 20_000, height: 10_000, depth: 1, colorType: 0, scanlines: [])
        #expect(throws: ImageDecodingError.truncated(.png)) { try decode(file.data, to: 300) }
        file.interlace = 1
        let held = 4 * (200_000_000 + 300 * 150)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: held, allowed: Self.memory)) {
            try decode(file.data, to: 300)
        }
    }

    @Test("a header with the most pixels that JPEG and PNG can have is refused")
    func bombs() {
        let side = 65_500
        let limit = ImageDecodingError.limitExceeded(
            .pixels, value: side * side, allowed: DecodingLimits.default.maxPixels)
        var jpeg = FlatJPEG(width: 16, height: 16, components: [.init(level: 128)]).data
        jpeg.replace(Data([8, 0, 16, 0, 16, 1]), with: Data([8, 0xFF, 0xDC, 0xFF, 0xDC, 1]))
        #expect(throws: limit) { try decode(jpeg, to: 300) }
        let png = RawPNG(width: side, height: side, depth: 1, colorType: 0, scanlines: [[0]])
        #expect(throws: limit) { try decode(png.data, to: 300) }
    }
}
