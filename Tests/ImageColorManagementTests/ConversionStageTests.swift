import Foundation
import ImageColorManagement
import ImageCore
import ImageTesting
import TestProfiles
import Testing

@Suite("Stages of color conversion")
struct ConversionStageTests {
    /// The color of a file, a pixel of it, and the same pixel in a color space.
    struct Sample: Sendable {
        var color: SourceColor
        var layout = PixelLayout.rgba8
        var pixel: [UInt8]
        var space = ColorSpace.sRGB
        var expected: [UInt8]

        func stage(
            profile: Data? = nil, layout: PixelLayout? = nil, width: Int = 1, into sink: CollectingRowSink
        ) -> (any PixelRowSink)? {
            LittleCMSColorConverter().makeStage(
                from: profile.map { SourceColor(profile: $0) } ?? color, layout: layout ?? self.layout, to: space,
                width: width, next: sink)
        }
    }

    /// A linear level of 55 is level 128 in sRGB (IEC 61966-2-1), and a lightness of 66.7 is level 163. The red of sRGB
    /// is [234, 51, 35] in Display P3.
    static let samples = [
        Sample(color: SourceColor(profile: linear), pixel: [55, 255, 0, 40], expected: [128, 255, 0, 40]),
        Sample(color: gray, layout: .gray8, pixel: [55], expected: [128, 128, 128, 255]),
        Sample(color: gray, layout: .grayAlpha8, pixel: [55, 7], space: .displayP3, expected: [128, 128, 128, 7]),
        Sample(
            color: SourceColor(profile: TestProfile.cmyk), layout: .cmyk8, pixel: [255, 0, 0, 0],
            expected: [163, 163, 163, 255]),
        Sample(
            color: SourceColor(profile: TestProfile.srgb), pixel: [255, 0, 0, 5], space: .displayP3,
            expected: [234, 51, 35, 5]),
        Sample(color: .sRGB, pixel: [255, 0, 0, 5], space: .displayP3, expected: [234, 51, 35, 5]),
        Sample(
            color: SourceColor(primaries: .displayP3, transfer: .gamma(1)), pixel: [0, 55, 0, 5], space: .displayP3,
            expected: [0, 128, 0, 5]),
    ]

    private static let linear = TestProfile.rgb(
        white: TestProfile.d65, primaries: TestProfile.srgbPrimaries, gamma: 1)
    private static let gray = SourceColor(profile: TestProfile.gray(gamma: 1))

    @Test("a stage converts each row in the same way, and passes it on once", arguments: samples, [1, 3, 100])
    func rows(_ sample: Sample, _ width: Int) throws {
        let sink = CollectingRowSink()
        let stage = try #require(sample.stage(width: width, into: sink))
        let row = Array(repeatElement(sample.pixel, count: width).joined())
        for _ in 0..<6 { try stage.receive(row.span) }
        let first = Array(sink.pixels.prefix(4))
        #expect(zip(first, sample.expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "it became \(first)")
        #expect(first.last == sample.expected.last)
        #expect(sink.rows == Array(repeating: Array(repeatElement(first, count: width).joined()), count: 6))
    }

    @Test("a stage rethrows the error of the next one", arguments: samples)
    func failure(_ sample: Sample) throws {
        let stage = try #require(sample.stage(into: CollectingRowSink(stopsAfter: 1)))
        try stage.receive(sample.pixel.span)
        #expect(throws: ImageDecodingError.cancelled) { try stage.receive(sample.pixel.span) }
    }

    @Test("ignores data that is not a profile, and profiles for other layouts", arguments: samples)
    func ignored(_ sample: Sample) {
        let data = [Data(), Data([0]), Data(count: 500), Data("not a profile, but long enough to be one".utf8)]
        for layout in [PixelLayout.rgba8, .gray8, .grayAlpha8, .cmyk8] {
            for profile in data {
                #expect(sample.stage(profile: profile, layout: layout, into: CollectingRowSink()) == nil)
            }
            guard layout.channelCount != sample.layout.channelCount, sample.color.profile != nil else { continue }
            #expect(sample.stage(layout: layout, into: CollectingRowSink()) == nil)
        }
    }

    @Test("keeps the pixels of files in the color space of the result", arguments: ColorSpace.allCases)
    func same(_ space: ColorSpace) {
        let color = SourceColor(primaries: space.primaries, transfer: space.transfer)
        let sample = Sample(color: color, pixel: [], space: space, expected: [])
        #expect(sample.stage(into: CollectingRowSink()) == nil)
    }

    @Test("ignores a truncated profile, or converts each row with it", arguments: samples)
    func truncated(_ sample: Sample) throws {
        guard let profile = sample.color.profile else { return }
        for count in stride(from: 0, to: profile.count, by: max(1, profile.count / 100)) {
            let sink = CollectingRowSink()
            guard let stage = sample.stage(profile: profile.prefix(count), into: sink) else { continue }
            try stage.receive(sample.pixel.span)
            #expect(sink.rows.map(\.count) == [4], "\(count) bytes of a profile")
        }
    }
}

extension PixelLayout {
    /// The number of channels without alpha.
    fileprivate var channelCount: Int {
        switch self {
        case .gray8, .grayAlpha8: 1
        case .rgba8, .rgba16: 3
        case .cmyk8: 4
        }
    }
}
