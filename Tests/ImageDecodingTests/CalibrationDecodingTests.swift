import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Decoding images with a color calibration")
struct CalibrationDecodingTests {
    private func pixels(
        calibration: ColorCalibration?, profile: Data? = nil, converter: (any ColorConverter)? = FakeColorConverter()
    ) throws -> [UInt8] {
        var source = FakeImage(PixelSize(width: 2, height: 1), color: [10, 20, 30, 255])
        source.colorProfile = profile
        let decoder = DownsamplingDecoder(
            decoders: [CalibratingDecoder(calibration: calibration)],
            colorConverter: converter)
        let image = try decoder.decode(source.encoded, request: DecodingRequest(), isCancelled: { false })
        return Array(image.bitmap.pixels.prefix(4))
    }

    @Test("applies a calibration if there is no profile")
    func applied() throws {
        #expect(try pixels(calibration: FakeColorConverter.calibration) == [245, 235, 225, 255])
        #expect(try pixels(calibration: nil) == [10, 20, 30, 255])
    }

    @Test("keeps pixels if the converter ignores the calibration, or without a converter")
    func ignored() throws {
        #expect(try pixels(calibration: ColorCalibration(transfer: .srgb)) == [10, 20, 30, 255])
        #expect(try pixels(calibration: FakeColorConverter.calibration, converter: nil) == [10, 20, 30, 255])
    }

    @Test("a profile overrides the calibration, even if the profile is ignored")
    func profile() throws {
        #expect(try pixels(calibration: FakeColorConverter.calibration, profile: Data([1])) == [10, 20, 30, 255])
    }
}

/// A fake decoder whose images have a calibration.
private struct CalibratingDecoder: ImageDecoder {
    let calibration: ColorCalibration?
    private let codec = FakeDecoder()

    init(calibration: ColorCalibration?) { self.calibration = calibration }

    var format: ImageFormat { codec.format }

    func recognizes(_ prefix: Data) -> Bool { codec.recognizes(prefix) }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        CalibratedImage(try codec.open(data, limits: limits), calibration)
    }
}

private final class CalibratedImage: OpenedImage {
    private let image: any OpenedImage
    let header: ImageHeader

    init(_ image: any OpenedImage, _ calibration: ColorCalibration?) {
        self.image = image
        var header = image.header
        header.colorCalibration = calibration
        self.header = header
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        try image.decode(frame: index, size: size, layout: layout, preference: preference, into: sink)
    }
}
