import Foundation
import ImageColorManagement
import ImageCore
import ImageTesting
import TestProfiles
import Testing

@Suite("Color conversion without a profile")
struct RGBColorConverterTests {
    private static func convert(_ row: [UInt8], _ color: SourceColor) throws -> [UInt8]? {
        let sink = CollectingRowSink()
        let stage = LittleCMSColorConverter().makeStage(
            from: color, layout: .rgba8, to: .sRGB, width: row.count / 4, next: sink)
        guard let stage else { return nil }
        try stage.receive(row.span)
        return sink.pixels
    }

    @Test("rounds each level to the nearest with the primaries of sRGB", arguments: [0.4, 1, 1.8, 2.5])
    func tones(gamma: Double) throws {
        let reference = ReferenceColors(primaries: TestProfile.srgbPrimaries, gamma: gamma)
        let row: [UInt8] = (UInt8(0)...255).reduce(into: []) { $0 += [$1, 255 - $1, 0, $1] }
        let converted = try #require(try Self.convert(row, SourceColor(transfer: .gamma(gamma))))
        for level in 0..<256 {
            let expected = reference.srgb([UInt8(level), 255 - UInt8(level), 0]) + [UInt8(level)]
            #expect(Array(converted[4 * level..<4 * level + 4]) == expected, "level \(level)")
        }
    }

    /// A curve of ITU-T H.273, table 3, and its parameters.
    struct Curve {
        let transfer: TransferFunction
        let light: @Sendable (Double) -> Double
    }

    private static let curves = [
        // SMPTE ST 240: V is 4 L below 0.0228, and 1.1115 L^0.45 - 0.1115 above.
        Curve(
            transfer: .parametric(
                exponent: 1 / 0.45, scale: 1 / 1.1115, offset: 0.1115 / 1.1115, slope: 0.25, threshold: 0.0912),
            light: { $0 < 4 * 0.0228 ? $0 / 4 : pow(($0 + 0.1115) / 1.1115, 1 / 0.45) }),
        // SMPTE ST 428-1: V is (48 L / 52.37)^(1 / 2.6), so that white is brighter than 1.
        Curve(
            transfer: .parametric(
                exponent: 2.6, scale: pow(52.37 / 48, 1 / 2.6), offset: 0, slope: 0, threshold: 0),
            light: { 52.37 / 48 * pow($0, 2.6) }),
        // A negative base is black.
        Curve(
            transfer: .parametric(exponent: 2, scale: 1, offset: -0.5, slope: 1, threshold: 0),
            light: { $0 < 0.5 ? 0 : pow($0 - 0.5, 2) }),
    ]

    @Test("applies parametric curves, and clips above white", arguments: curves.indices)
    func parametric(index: Int) throws {
        let curve = Self.curves[index]
        let row: [UInt8] = (UInt8(0)...255).reduce(into: []) { $0 += [$1, $1, $1, $1] }
        let converted = try #require(try Self.convert(row, SourceColor(transfer: curve.transfer)))
        // With other primaries, gray stays gray.
        let p3 = SourceColor(primaries: .displayP3, transfer: curve.transfer)
        let other = try #require(try Self.convert(row, p3))
        for level in 0..<256 {
            let expected = ReferenceColors.encoded(curve.light(Double(level) / 255))
            #expect(converted[4 * level..<4 * level + 4] == [expected, expected, expected, UInt8(level)])
            #expect(
                other[4 * level..<4 * level + 3].allSatisfy { abs(Int($0) - Int(expected)) <= 1 })
        }
    }

    @Test("ignores curves that are not finite or have no positive exponent", arguments: [-1, 0, .nan, .infinity])
    func invalidCurves(value: Double) throws {
        let transfers: [TransferFunction] = [
            .gamma(value), .parametric(exponent: value, scale: 1, offset: 0, slope: 0, threshold: 0),
        ]
        let others: [TransferFunction] = [
            .parametric(exponent: 2, scale: value, offset: 0, slope: 0, threshold: 0),
            .parametric(exponent: 2, scale: 1, offset: value, slope: 0, threshold: 0),
            .parametric(exponent: 2, scale: 1, offset: 0, slope: value, threshold: 0),
            .parametric(exponent: 2, scale: 1, offset: 0, slope: 0, threshold: value),
        ]
        for transfer in transfers + (value.isFinite ? [] : others) {
            #expect(try Self.convert([1, 2, 3, 4], SourceColor(transfer: transfer)) == nil)
            let p3 = SourceColor(primaries: .displayP3, transfer: transfer)
            #expect(try Self.convert([1, 2, 3, 4], p3) == nil)
        }
    }

    @Test("converts colors with other primaries", arguments: [1.8, 2.2])
    func primaries(gamma: Double) throws {
        let color = SourceColor(primaries: .displayP3, transfer: .gamma(gamma))
        let reference = ReferenceColors(primaries: TestProfile.p3Primaries, gamma: gamma)
        let colors = LittleCMSColorConverterTests.colors
        let row = try #require(try Self.convert(colors.reduce(into: []) { $0 += $1 + [9] }, color))
        for (index, pixel) in colors.enumerated() {
            let converted = row[4 * index..<4 * index + 4]
            let differences = zip(converted, reference.srgb(pixel)).map { abs(Int($0) - Int($1)) }
            #expect(differences.allSatisfy { $0 <= 1 }, "\(pixel) became \(converted)")
            #expect(converted.last == 9)
        }
    }

    @Test("the curve of sRGB with other primaries preserves gray")
    func curve() throws {
        let color = SourceColor(primaries: .displayP3)
        for level in LittleCMSColorConverterTests.levels {
            let converted = try #require(try Self.convert([level, level, level, 255], color))
            #expect(converted.prefix(3).allSatisfy { abs(Int($0) - Int(level)) <= 1 }, "\(level) became \(converted)")
        }
    }

    @Test("ignores sRGB and colors that can't be applied")
    func ignored() throws {
        #expect(try Self.convert([1, 2, 3, 4], .sRGB) == nil)
        let gray = RGBPrimaries.Chromaticity(x: 0.3, y: 0.3)
        let degenerate = RGBPrimaries(red: gray, green: gray, blue: gray)
        #expect(try Self.convert([1, 2, 3, 4], SourceColor(primaries: degenerate, transfer: .gamma(2))) == nil)
        let nothing = RGBPrimaries.Chromaticity(x: 0, y: 0)
        let empty = RGBPrimaries(white: nothing, red: nothing, green: nothing, blue: nothing)
        #expect(try Self.convert([1, 2, 3, 4], SourceColor(primaries: empty, transfer: .gamma(2))) == nil)
    }
}

/// A reference implementation of matrix profiles with sRGB's white point, in floating point.
///
/// Primaries are converted to XYZ by SMPTE RP 177. The curve of sRGB is defined in IEC 61966-2-1.
struct ReferenceColors {
    private let toTarget: [[Double]]
    private let gamma: Double

    init(primaries: [Double], gamma: Double = 1, target: [Double] = TestProfile.srgbPrimaries) {
        let source = Self.toXYZ(primaries)
        let destination = Self.toXYZ(target)
        toTarget = Self.product(Self.inverse(destination), source)
        self.gamma = gamma
    }

    func srgb(_ pixel: [UInt8]) -> [UInt8] { encoded(pixel.map { pow(Double($0) / 255, gamma) }) }

    /// Returns linear light of the primaries encoded with the curve of sRGB in the target's primaries.
    func encoded(_ linear: [Double]) -> [UInt8] { toTarget.map { Self.encoded(Self.dot($0, linear)) } }

    /// Returns a linear value encoded with the curve of sRGB, clipped and rounded.
    static func encoded(_ linear: Double) -> UInt8 {
        let value = min(max(linear, 0), 1)
        return UInt8((255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)).rounded())
    }

    private static func toXYZ(_ primaries: [Double]) -> [[Double]] {
        let columns = (0..<3).map { index -> [Double] in
            let (x, y) = (primaries[2 * index], primaries[2 * index + 1])
            return [x / y, 1, (1 - x - y) / y]
        }
        let matrix = (0..<3).map { row in columns.map { $0[row] } }
        let white = [
            TestProfile.d65.x / TestProfile.d65.y, 1,
            (1 - TestProfile.d65.x - TestProfile.d65.y) / TestProfile.d65.y,
        ]
        let scale = inverse(matrix).map { dot($0, white) }
        return matrix.map { row in zip(row, scale).map { $0 * $1 } }
    }

    private static func product(_ left: [[Double]], _ right: [[Double]]) -> [[Double]] {
        left.map { row in (0..<3).map { column in dot(row, right.map { $0[column] }) } }
    }

    private static func dot(_ left: [Double], _ right: [Double]) -> Double {
        var sum = 0.0
        for (first, second) in zip(left, right) { sum += first * second }
        return sum
    }

    /// Returns the inverse matrix, computed by cofactors.
    private static func inverse(_ m: [[Double]]) -> [[Double]] {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (r, c) = ([1, 0, 0][row], [1, 0, 0][column])
            let (s, d) = ([2, 2, 1][row], [2, 2, 1][column])
            return (m[r][c] * m[s][d] - m[r][d] * m[s][c]) * ((row + column) % 2 == 0 ? 1 : -1)
        }
        let determinant = dot(m[0], [minor(0, 0), minor(0, 1), minor(0, 2)])
        return (0..<3).map { row in (0..<3).map { column in minor(column, row) / determinant } }
    }
}
