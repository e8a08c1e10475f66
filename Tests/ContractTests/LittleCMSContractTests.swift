import ImageColorManagement
import ImageContractTesting
import ImageCore
import TestProfiles
import Testing

@Suite("Little CMS: the contract of ColorConverter")
struct LittleCMSContractTests {
    /// A linear level of 55 is level 128 in sRGB (IEC 61966-2-1). A lightness of 66.7 is level 163.
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
        // A dark red keeps its color, because only the green primary differs from sRGB.
        .init(
            calibration: ColorCalibration(transfer: .gamma(1), green: .init(x: 0.265, y: 0.69)), pixel: [55, 0, 0, 7],
            expected: [128, 0, 0, 7], tolerance: 12),
    ]

    @Test("the converter passes", arguments: ColorConverterContract.rules)
    func converter(_ rule: ContractRule<ColorConverterContract.Subject>) async throws {
        try await rule.check(.init(LittleCMSColorConverter(), samples: Self.samples))
    }
}
