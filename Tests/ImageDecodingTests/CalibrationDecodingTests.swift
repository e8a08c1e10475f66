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
            decoders: [ChangedDecoder(calibration: calibration)], colorConverter: converter)
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
