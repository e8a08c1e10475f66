import Foundation
import ImageCore
import ImageTesting
import TestProfiles
import Testing

@Suite("Tone mapping of HDR")
struct ToneMappingTests {
    private static let bt2020 = [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]

    private static func color(_ transfer: TransferFunction, peak: Double? = nil) -> SourceColor {
        func point(_ index: Int) -> RGBPrimaries.Chromaticity { .init(x: bt2020[2 * index], y: bt2020[2 * index + 1]) }
        var color = SourceColor(
            primaries: RGBPrimaries(red: point(0), green: point(1), blue: point(2)), transfer: transfer)
        color.peakLuminance = peak
        return color
    }

    /// Converts pixels whose channels are 16-bit numbers, alpha included.
    private static func convert(
        _ pixels: [[UInt16]], from color: SourceColor, to space: ColorSpace = .sRGB
    ) throws -> [[UInt8]] {
        let sink = CollectingRowSink()
        let stage = try #require(
            RGBColorConverter().makeStage(from: color, layout: .rgba16, to: space, width: pixels.count, next: sink))
        let samples = Array(pixels.joined())
        let row = unsafe samples.withUnsafeBytes { unsafe [UInt8]($0) }
        try stage.receive(row.span)
        return stride(from: 0, to: sink.pixels.count, by: 4).map { Array(sink.pixels[$0..<$0 + 4]) }
    }

    /// Colors of a grid, opaque.
    private static let grid: [[UInt16]] = {
        let levels: [UInt16] = [0, 3000, 14_000, 25_000, 33_000, 38_011, 45_000, 52_000, 65_535]
        return levels.flatMap { red in levels.flatMap { green in levels.map { [red, green, $0, 65_535] } } }
    }()

    private static func largestError(_ found: [[UInt8]], _ expected: [[UInt8]]) -> Int {
        zip(found, expected).reduce(0) { largest, pair in
            max(largest, zip(pair.0, pair.1).map { abs(Int($0) - Int($1)) }.max() ?? 0)
        }
    }

    @Test(
        "PQ is mapped by the formulas of BT.2100 and BT.2390", arguments: [nil, 100, 203, 600, 4000, 10_000],
        ColorSpace.allCases)
    func pq(peak: Double?, space: ColorSpace) throws {
        let target = space == .sRGB ? TestProfile.srgbPrimaries : TestProfile.p3Primaries
        let reference = ReferenceColors(primaries: Self.bt2020, target: target)
        let expected = Self.grid.map { pixel in
            let light = pixel.prefix(3).map { HDRReference.pqLuminance(Double($0) / 65_535) }
            return reference.encoded(HDRReference.mapped(light, peak: peak ?? 1000).map { $0 / 203 }) + [255]
        }
        let found = try Self.convert(Self.grid, from: Self.color(.pq, peak: peak), to: space)
        #expect(Self.largestError(found, expected) <= 1)
    }

    @Test("HLG is shown on a display of 1,000 cd/m², and then mapped like PQ", arguments: [nil, 4000])
    func hlg(peak: Double?) throws {
        let reference = ReferenceColors(primaries: Self.bt2020)
        let expected = Self.grid.map { pixel in
            let scene = pixel.prefix(3).map { HDRReference.hlgLight(Double($0) / 65_535) }
            let luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
            let light = scene.map { luminance == 0 ? 0 : 1000 * pow(luminance, 0.2) * $0 }
            return reference.encoded(HDRReference.mapped(light, peak: 1000).map { $0 / 203 }) + [255]
        }
        let found = try Self.convert(Self.grid, from: Self.color(.hlg, peak: peak))
        #expect(Self.largestError(found, expected) <= 1)
    }

    @Test("a gradient has all levels in order, without a gap", arguments: [TransferFunction.pq, .hlg])
    func gradient(transfer: TransferFunction) throws {
        let row = stride(from: 0, through: 65_535, by: 15).map { level -> [UInt16] in
            [UInt16](repeating: UInt16(level), count: 3) + [65_535]
        }
        let grays = try Self.convert(row, from: Self.color(transfer)).map { Int($0[0]) }
        #expect(zip(grays, grays.dropFirst()).allSatisfy { (0...1).contains($1 - $0) })
        #expect(grays.first == 0 && grays.last == 255)
    }

    @Test("alpha is copied and rounded, and bytes are converted like 16 bits")
    func layouts() throws {
        let alphas: [UInt16] = [0, 128, 129, 257, 32_768, 65_535]
        let row = alphas.map { [30_000, 30_000, 30_000, $0] }
        #expect(try Self.convert(row, from: Self.color(.pq)).map { $0[3] } == [0, 0, 1, 1, 128, 255])
        let deep = try Self.convert([[100 * 257, 80 * 257, 130 * 257, 9 * 257]], from: Self.color(.pq))[0]
        let sink = CollectingRowSink()
        let stage = RGBColorConverter().makeStage(
            from: Self.color(.pq), layout: .rgba8, to: .sRGB, width: 1, next: sink)
        try stage?.receive([100, 80, 130, 9].span)
        #expect(sink.pixels == deep)
    }
}

/// The formulas of HDR in luminance, in cd/m².
private enum HDRReference {
    /// The EOTF of PQ (ITU-R BT.2100-2, table 4).
    static func pqLuminance(_ value: Double) -> Double {
        let root = pow(value, 32.0 / 2523)
        return 10_000 * pow(max(root - 107.0 / 128, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 8192.0 / 1305)
    }

    private static func pqValue(_ luminance: Double) -> Double {
        let power = pow(luminance / 10_000, 1305.0 / 8192)
        return pow((107.0 / 128 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
    }

    /// The inverse OETF of HLG (ITU-R BT.2100-2, table 5).
    static func hlgLight(_ value: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    }

    /// The EETF of ITU-R BT.2390-11, 5.4.1, to a display of 203 cd/m², for the largest channel.
    static func mapped(_ light: [Double], peak: Double) -> [Double] {
        let largest = light.max() ?? 0
        let white = pqValue(max(peak, 203))
        let maxLum = pqValue(203) / white
        let knee = 1.5 * maxLum - 0.5
        let e1 = min(pqValue(largest) / white, 1)
        guard e1 >= knee, knee < 1 else { return light.map { $0 * min(1, 203 / max(largest, 203)) } }
        let t = (e1 - knee) / (1 - knee)
        let p = (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
        let e2 = p + (-2 * t * t * t + 3 * t * t) * maxLum
        return light.map { $0 * pqLuminance(e2 * white) / largest }
    }
}
