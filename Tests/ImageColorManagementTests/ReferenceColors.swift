import Foundation
import TestProfiles

/// A reference implementation of matrix profiles with sRGB's white point, in floating point.
///
/// Primaries are converted to XYZ by SMPTE RP 177. The curve of sRGB is defined in IEC 61966-2-1.
struct ReferenceColors {
    private let toSRGB: [[Double]]
    private let gamma: Double

    init(primaries: [Double], gamma: Double) {
        let source = Self.toXYZ(primaries)
        let destination = Self.toXYZ(TestProfile.srgbPrimaries)
        toSRGB = Self.product(Self.inverse(destination), source)
        self.gamma = gamma
    }

    func srgb(_ pixel: [UInt8]) -> [UInt8] {
        let linear = pixel.map { pow(Double($0) / 255, gamma) }
        return toSRGB.map { Self.encoded(Self.dot($0, linear)) }
    }

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
