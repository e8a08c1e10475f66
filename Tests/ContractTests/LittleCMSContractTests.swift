import ImageColorManagement
import ImageContractTesting
import ImageCore
import TestProfiles
import Testing

@Suite("Little CMS obeys the contract of ColorConverter")
struct LittleCMSContractTests {
    /// 55 of 255 parts of the light are level 128 in sRGB (IEC 61966-2-1); lightness 66.7 is level 163.
    static let samples: [ColorConverterContract.Sample] = [
        .init(
            profile: TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.srgbPrimaries, gamma: 1),
            layout: .rgba8, pixel: [55, 255, 0, 40], expected: [128, 255, 0, 40], tolerance: 2),
        .init(
            profile: TestProfile.gray(gamma: 1), layout: .gray8, pixel: [55], expected: [128, 128, 128, 255],
            tolerance: 2),
        .init(
            profile: TestProfile.gray(gamma: 1), layout: .grayAlpha8, pixel: [55, 7], expected: [128, 128, 128, 7],
            tolerance: 2),
        .init(
            profile: TestProfile.cmyk, layout: .cmyk8, pixel: [255, 0, 0, 0], expected: [163, 163, 163, 255],
            tolerance: 2),
        .init(
            calibration: ColorCalibration(transfer: .gamma(1)), pixel: [55, 255, 0, 40], expected: [128, 255, 0, 40],
            tolerance: 1),
        // Half the light of a red that sRGB has is what it was, whatever the other primaries are.
        .init(
            calibration: ColorCalibration(transfer: .gamma(1), green: .init(x: 0.265, y: 0.69)), pixel: [55, 0, 0, 7],
            expected: [128, 0, 0, 7], tolerance: 12),
    ]

    @Test("the converter obeys", arguments: ColorConverterContract.rules)
    func converter(_ rule: ContractRule<ColorConverterContract.Subject>) async throws {
        try await rule.check(.init(LittleCMSColorConverter(), samples: Self.samples))
    }
}
