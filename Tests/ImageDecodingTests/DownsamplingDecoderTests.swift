import Foundation
import ImageCore
import ImageDecoding
import Synchronization
import Testing

@testable import ImageTesting

@Suite("DownsamplingDecoder")
struct DownsamplingDecoderTests {
    static let size = PixelSize(width: 16, height: 12)
    static let pixels = (0..<size.area * 4).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: $0 * 5) }

    @Test("returns the codec's rows unchanged at the stored size")
    func unscaled() throws {
        let codec = FakeDecoder()
        let image = try decode(FakeImage(Self.size, frames: [Self.pixels]), codec)
        #expect(image.bitmap.pixels == Self.pixels)
        #expect(codec.messages.last == .decode(frame: 0, size: Self.size, layout: .rgba8))
    }

    @Test("fill without scaling copies a rectangle of the rows", arguments: [(6, 0, 4, 12), (0, 3, 16, 6)])
    func crop(x: Int, y: Int, width: Int, height: Int) throws {
        let target = ImageTarget(PixelSize(width: width, height: height), mode: .fill)
        let image = try decode(FakeImage(Self.size, frames: [Self.pixels]), target: target)
        let expected = (y..<y + height).flatMap { row -> ArraySlice<UInt8> in
            let start = row * 64 + 4 * x
            return Self.pixels[start..<start + 4 * width]
        }
        #expect(image.bitmap.pixels == expected)
    }

    @Test("a part of an image is converted like the whole")
    func convertedPart() throws {
        let decoder = DownsamplingDecoder(
            decoders: [ChangedDecoder(color: SourceColor(transfer: .gamma(1)))], colorConverter: RGBColorConverter())
        let file = FakeImage(Self.size, frames: [Self.pixels]).encoded
        var target = ImageTarget(PixelSize(width: 5, height: 4))
        target.part = PixelArea(left: 2, top: 3, width: 5, height: 4)
        let part = try decoder.decode(file, request: DecodingRequest(target: target)).bitmap
        let whole = try decoder.decode(file, request: DecodingRequest()).bitmap.pixels
        let expected = (3..<7).flatMap { row -> ArraySlice<UInt8> in
            let start = row * 64 + 8
            return whole[start..<start + 20]
        }
        #expect(part.pixels == expected && part.pixels[0] != Self.pixels[200])
    }

    @Test("averages light if the target asks for it")
    func linearLight() throws {
        let source = FakeImage(PixelSize(width: 2, height: 1), frames: [[0, 0, 0, 255, 255, 255, 255, 255]])
        for (isLinear, level) in [(false, UInt8(128)), (true, 188)] {
            let target = ImageTarget(PixelSize(width: 1, height: 1), usesLinearLight: isLinear)
            #expect(try abs(Int(decode(source, target: target).bitmap.pixels[0]) - Int(level)) <= 1)
        }
    }

    @Test("a result has the gamut of the image, or the color space of the request")
    func gamut() throws {
        let decoder = DownsamplingDecoder(decoders: [FakeDecoder()], colorConverter: WideColorConverter())
        for (color, space) in [(OutputColor.automatic, ColorSpace.displayP3), (.sRGB, .sRGB)] {
            let image = try decoder.decode(FakeImage(Self.size).encoded, request: DecodingRequest(color: color))
            #expect(image.bitmap.colorSpace == space)
        }
        #expect(try decoder.gamut(of: decoder.header(of: FakeImage(Self.size).encoded)) == .displayP3)
    }

    @Test("a reader has the frames of a file")
    func frameReader() throws {
        let source = FakeImage(Self.size, frames: [[1, 1, 1, 255], [2, 2, 2, 255]])
        let reader = try decoder(FakeDecoder()).makeFrameReader(of: source.encoded)
        #expect(reader.header.frameCount == 2)
        for index in [1, 0] {
            #expect(try reader.frame(at: index, isCancelled: { false }).pixels[0] == UInt8(index + 1))
        }
    }

    @Test("requests twice the output size from a codec that scales, the stored size from others")
    func codecScaling() throws {
        for (scales, expectedSize) in [
            (true, PixelSize(width: 100, height: 50)), (false, PixelSize(width: 400, height: 200)),
        ] {
            let codec = FakeDecoder()
            var source = FakeImage(PixelSize(width: 400, height: 200))
            source.scales = scales
            let image = try decode(source, codec, target: ImageTarget(PixelSize(width: 50, height: 50)))
            #expect(image.bitmap.size == PixelSize(width: 50, height: 25))
            #expect(codec.messages.last == .decode(frame: 0, size: expectedSize, layout: .rgba8))
        }
    }

    @Test("requests the output size from a codec that scales if speed is preferred, and passes the preference on")
    func speed() throws {
        let codec = FakeDecoder()
        var source = FakeImage(PixelSize(width: 400, height: 200))
        source.scales = true
        let target = ImageTarget(PixelSize(width: 50, height: 50), preference: .speed)
        let image = try decode(source, codec, target: target)
        #expect(image.bitmap.size == PixelSize(width: 50, height: 25))
        let expectedSize = PixelSize(width: 50, height: 25)
        #expect(codec.messages.last == .decode(frame: 0, size: expectedSize, layout: .rgba8, preference: .speed))
    }

    @Test("takes the memory of an image from the pool and returns it", arguments: ImageOrientation.allCases)
    func pool(_ orientation: ImageOrientation) throws {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let decoder = DownsamplingDecoder(decoders: [FakeDecoder()], pool: pool)
        for color in [UInt8(1), 2] {
            let source = FakeImage(
                PixelSize(width: 256, height: 200), color: [color, color, color, 255], orientation: orientation)
            let image = try decoder.decode(source.encoded, request: DecodingRequest(), isCancelled: { false })
            #expect(pool.idleByteCount == 0)
            #expect(Set(image.bitmap.pixels) == [color, 255])
        }
        #expect(pool.idleByteCount >= 256 * 200 * 4)
    }

    @Test("decodes a whole image into the result", arguments: ImageOrientation.allCases)
    func wholeImage(_ orientation: ImageOrientation) throws {
        let codec = WholeImageDecoder()
        let source = FakeImage(Self.size, frames: [Self.pixels], orientation: orientation, hasAlpha: true)
        let image = try decoder(codec).decode(source.encoded, request: DecodingRequest(), isCancelled: { false })
        #expect(codec.wasWritten == (orientation == .up))
        #expect(image == (try decode(source)))
        let target = ImageTarget(PixelSize(width: 4, height: 4), mode: .fill)
        _ = try decoder(codec).decode(
            source.encoded, request: DecodingRequest(target: target), isCancelled: { false })
        #expect(codec.wasWritten == false)
    }

    @Test("a whole image with a transparent pixel is not opaque")
    func transparentImage() throws {
        let codec = WholeImageDecoder()
        for (alpha, hasAlpha) in [(UInt8(255), true), (254, true), (255, false)] {
            let frame = Self.pixels.dropLast() + [alpha]
            let source = FakeImage(Self.size, frames: [Array(frame)], hasAlpha: hasAlpha)
            let image = try decoder(codec).decode(source.encoded, request: DecodingRequest(), isCancelled: { false })
            #expect(image.bitmap.isOpaque == (alpha == 255))
            #expect(codec.wasWritten == true)
        }
    }

    @Test("does not receive a whole image after cancellation")
    func cancelledImage() throws {
        let cancellation = Cancellation(after: 1)
        #expect(throws: ImageDecodingError.cancelled) {
            try decoder(WholeImageDecoder()).decode(FakeImage(Self.size).encoded, request: DecodingRequest()) {
                cancellation.isDue()
            }
        }
    }

    @Test("applies a profile in its layout", arguments: [PixelLayout.rgba8, .gray8, .grayAlpha8, .cmyk8])
    func profile(_ layout: PixelLayout) throws {
        let codec = FakeDecoder()
        var source = FakeImage(Self.size, color: [10, 10, 10, 255])
        source.nativeLayout = layout
        source.colorProfile = FakeColorConverter.profile(for: layout)
        let image = try decode(source, codec)
        #expect(codec.messages.last == .decode(frame: 0, size: Self.size, layout: layout))
        #expect(Set(image.bitmap.pixels) == [245, 255])
    }

    @Test("decodes to RGBA if the converter ignores the profile, or without a converter", arguments: [true, false])
    func ignoredProfile(_ hasConverter: Bool) throws {
        let codec = FakeDecoder()
        var source = FakeImage(Self.size, color: [10, 20, 30, 255])
        source.nativeLayout = .cmyk8
        source.colorProfile = hasConverter ? Data([1]) : FakeColorConverter.profile(for: .cmyk8)
        let decoder = DownsamplingDecoder(
            decoders: [codec], colorConverter: hasConverter ? FakeColorConverter() : nil)
        let image = try decoder.decode(source.encoded, request: DecodingRequest(), isCancelled: { false })
        #expect(codec.messages.last == .decode(frame: 0, size: Self.size, layout: .rgba8))
        #expect(Array(image.bitmap.pixels.prefix(4)) == [10, 20, 30, 255])
    }

    @Test("an image is opaque if no pixel of its alpha channel is transparent")
    func opacity() throws {
        var source = FakeImage(Self.size, frames: [Self.pixels], hasAlpha: true)
        #expect(try decode(source).bitmap.isOpaque)
        source.frames[0][Self.size.area * 4 - 1] = 254
        #expect(try !decode(source).bitmap.isOpaque)
        source.hasAlpha = false
        #expect(try decode(source).bitmap.isOpaque)
    }

    @Test("finds a transparent pixel at each position of a row", arguments: 1...9)
    func hole(_ width: Int) throws {
        let size = PixelSize(width: width, height: 2)
        for hole in 0..<size.area {
            var source = FakeImage(
                size, frames: [[UInt8](repeating: 255, count: size.area * 4)], hasAlpha: true)
            #expect(try decode(source).bitmap.isOpaque)
            source.frames[0][hole * 4 + 3] = 127
            #expect(try !decode(source).bitmap.isOpaque)
        }
    }

    @Test("a cropped image is opaque if the transparent pixels are outside")
    func opacityOfCrop() throws {
        var source = FakeImage(Self.size, frames: [Self.pixels], hasAlpha: true)
        source.frames[0][3] = 0
        #expect(try decode(source, target: ImageTarget(PixelSize(width: 4, height: 12), mode: .fill)).bitmap.isOpaque)
    }

    @Test("decodes a frame by its number")
    func frames() throws {
        let source = FakeImage(Self.size, frames: [[1, 1, 1, 255], [2, 2, 2, 255]])
        for frame in 0...1 {
            let image = try decoder(FakeDecoder())
                .decode(source.encoded, request: DecodingRequest(frame: frame), isCancelled: { false })
            #expect(image.bitmap.pixels[0] == UInt8(frame + 1))
        }
    }

    @Test("throws if the codec delivers too few rows")
    func missingRows() {
        #expect(throws: ImageDecodingError.self) {
            try DownsamplingDecoder(decoders: [NoncompliantDecoder()])
                .decode(FakeImage(Self.size).encoded, request: DecodingRequest(), isCancelled: { false })
        }
    }

    @Test("cancellation between rows stops the codec", arguments: [0, 1, 5])
    func cancellation(_ rows: Int) throws {
        let codec = FakeDecoder()
        // Asked once at the start, then before each row.
        let cancellation = Cancellation(after: rows)
        #expect(throws: ImageDecodingError.cancelled) {
            try decoder(codec).decode(FakeImage(Self.size).encoded, request: DecodingRequest()) {
                cancellation.isDue()
            }
        }
        #expect(cancellation.checkCount == rows + 1)
        #expect(codec.messages.isEmpty == (rows == 0))
    }

    @Test("a decoding without a closure ends when its task is cancelled")
    func cancelledTask() async {
        let isCancelled = TestGate()
        let decoding = Task {
            await isCancelled.pass()
            return try decoder(FakeDecoder()).decode(FakeImage(Self.size).encoded)
        }
        decoding.cancel()
        isCancelled.open()
        await #expect(throws: ImageDecodingError.cancelled) { try await decoding.value }
    }

    @Test("data that no decoder recognizes has an unknown format", arguments: [Data(), Data([1]), Data(count: 100)])
    func unknownFormat(_ data: Data) {
        #expect(throws: ImageDecodingError.unknownFormat) { try decoder(FakeDecoder()).header(of: data) }
    }

    @Test("checks limits that the codec ignores")
    func codecWithoutLimits() {
        for (limits, limit) in [
            (DecodingLimits(maxPixels: 100), DecodingLimit.pixels), (DecodingLimits(maxSide: 15), .side),
            (DecodingLimits(maxFrames: 0), .frames), (DecodingLimits(encodedByteLimit: 10), .encodedBytes),
        ] {
            let decoder = DownsamplingDecoder(
                decoders: [NoncompliantDecoder()], limits: limits)
            let failure = #expect(throws: ImageDecodingError.self) {
                try decoder.header(of: FakeImage(Self.size).encoded)
            }
            guard case .limitExceeded(limit, _, _) = failure else {
                Issue.record("\(limit): \(String(describing: failure))")
                continue
            }
        }
        for frame in [-1, 1] {
            #expect(throws: ImageDecodingError.noSuchFrame(frame, frameCount: 1)) {
                try decoder(NoncompliantDecoder()).decode(Data(), request: DecodingRequest(frame: frame))
            }
        }
    }

    @Test(
        "adds the memory of the codec to the output", arguments: [nil, ImageTarget(PixelSize(width: 8, height: 6))])
    func heldByteCount(_ target: ImageTarget?) throws {
        // The codec below keeps an RGBA image of 16 by 12 pixels. The output has the same size or a quarter of it.
        let needed = 768 + (target == nil ? 768 : 192)
        func decode(_ limit: Int) throws -> DecodedImage {
            try DownsamplingDecoder(
                decoders: [ChangedDecoder(holdsImage: true)], limits: DecodingLimits(decodedByteLimit: limit)
            ).decode(
                FakeImage(Self.size).encoded, request: DecodingRequest(target: target), isCancelled: { false })
        }
        #expect(try decode(needed).bitmap.size == target?.size ?? Self.size)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: needed, allowed: needed - 1)) {
            try decode(needed - 1)
        }
    }

    @Test("rejects a result with a side above the limit, whatever its byte count")
    func sideOfResult() {
        let codec = FakeDecoder()
        for size in [PixelSize(width: 1_000_000, height: 1), PixelSize(width: 1, height: 1_000_000)] {
            let target = ImageTarget(size, mode: .fill, upscales: true)
            #expect(throws: ImageDecodingError.limitExceeded(.side, value: 1_000_000, allowed: 65_535)) {
                try decode(FakeImage(PixelSize(width: 1, height: 1)), codec, target: target)
            }
        }
        #expect(codec.messages.count == 2)
    }

    @Test(
        "a hundred megapixels are within the default limits, upright or rotated",
        arguments: [ImageOrientation.up, .left])
    func hundredMegapixels(_ orientation: ImageOrientation) {
        let source = FakeImage(PixelSize(width: 12_500, height: 8_000), orientation: orientation)
        let codec = FakeDecoder(decodeFailure: .truncated(.fake))
        // Cancelled at the first row, because the test covers the limits only.
        let cancellation = Cancellation(after: 1)
        #expect(throws: ImageDecodingError.cancelled) {
            try decoder(codec).decode(source.encoded, request: DecodingRequest()) { cancellation.isDue() }
        }
        #expect(codec.messages.count == 2)
    }

    private func decoder(_ decoders: any ImageDecoder...) -> DownsamplingDecoder {
        DownsamplingDecoder(decoders: decoders, colorConverter: FakeColorConverter())
    }

    @discardableResult
    private func decode(
        _ source: FakeImage, _ codec: FakeDecoder = FakeDecoder(), target: ImageTarget? = nil
    ) throws -> DecodedImage {
        try decoder(codec)
            .decode(source.encoded, request: DecodingRequest(target: target), isCancelled: { false })
    }
}

/// Cancels after a number of checks.
final class Cancellation: Sendable {
    private let checks = Mutex(0)
    private let limit: Int

    init(after limit: Int) { self.limit = limit }

    var checkCount: Int { checks.withLock { $0 } }

    func isDue() -> Bool {
        checks.withLock { checks in
            checks += 1
            return checks > limit
        }
    }
}
