import ImageColorManagement
import ImageContractTesting
import ImageCore
import TestProfiles
import Testing

@Suite("The contract of ColorConverter for Little CMS and for other colors")
struct LittleCMSContractTests {
    /// A linear level of 55 is level 128 in sRGB (IEC 61966-2-1). A lightness of 66.7 is level 163.
    static let samples: [ColorConverterContract.Sample] = [
        .init(
            SourceColor(
                profile: TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.srgbPrimaries, gamma: 1)),
            pixel: [55, 255, 0, 40], expected: [128, 255, 0, 40], tolerance: 2),
        .init(
            SourceColor(profile: TestProfile.gray(gamma: 1)), layout: .gray8, pixel: [55],
            expected: [128, 128, 128, 255], tolerance: 2),
        .init(
            SourceColor(profile: TestProfile.gray(gamma: 1)), layout: .grayAlpha8, pixel: [55, 7], space: .displayP3,
            expected: [128, 128, 128, 7], tolerance: 2),
        .init(
            SourceColor(profile: TestProfile.cmyk), layout: .cmyk8, pixel: [255, 0, 0, 0],
            expected: [163, 163, 163, 255], tolerance: 2),
        .init(
            SourceColor(profile: TestProfile.srgb), pixel: [255, 0, 0, 5], space: .displayP3,
            expected: [234, 51, 35, 5], tolerance: 1),
    ]

    /// The red of sRGB is [234, 51, 35] in Display P3, and a luminance of 203 cd/m² in PQ is 58% (ITU-R BT.2408-7, 2.2).
    static let others: [ColorConverterContract.Sample] = [
        .init(
            SourceColor(transfer: .gamma(1)), pixel: [55, 255, 0, 40], expected: [128, 255, 0, 40], tolerance: 1),
        // A dark red keeps its color, because only the green primary differs from sRGB.
        .init(
            SourceColor(
                primaries: .init(
                    red: .init(x: 0.64, y: 0.33), green: .init(x: 0.265, y: 0.69), blue: .init(x: 0.15, y: 0.06)),
                transfer: .gamma(1)),
            pixel: [55, 0, 0, 7], expected: [128, 0, 0, 7], tolerance: 12),
        .init(.sRGB, pixel: [255, 0, 0, 5], space: .displayP3, expected: [234, 51, 35, 5], tolerance: 1),
        .init(
            SourceColor(primaries: .displayP3, transfer: .gamma(1)), pixel: [0, 55, 0, 5], space: .displayP3,
            expected: [0, 128, 0, 5], tolerance: 1),
    ]

    @Test("the converter passes", arguments: ColorConverterContract.rules)
    func converter(_ rule: ContractRule<ColorConverterContract.Subject>) async throws {
        try await rule.check(.init(LittleCMSColorConverter(), samples: Self.samples + Self.others))
    }

    @Test("the converter without profiles passes", arguments: ColorConverterContract.rules)
    func others(_ rule: ContractRule<ColorConverterContract.Subject>) async throws {
        try await rule.check(.init(RGBColorConverter(), samples: Self.others))
    }
}
