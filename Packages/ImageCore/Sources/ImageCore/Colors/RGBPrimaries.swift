/// The white point and the primaries of RGB colors.
public struct RGBPrimaries: Hashable, Sendable {
    /// A chromaticity (CIE 1931 x and y).
    package struct Chromaticity: Hashable, Sendable {
        /// The x coordinate.
        package var x: Double
        /// The y coordinate.
        package var y: Double

        /// Creates a chromaticity.
        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The white point.
    package var white: Chromaticity
    /// The red primary.
    package var red: Chromaticity
    /// The green primary.
    package var green: Chromaticity
    /// The blue primary.
    package var blue: Chromaticity

    /// Creates primaries. The white point is D65 by default.
    package init(
        white: Chromaticity = Chromaticity(x: 0.3127, y: 0.3290), red: Chromaticity, green: Chromaticity,
        blue: Chromaticity
    ) {
        self.white = white
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// The primaries of sRGB and ITU-R BT.709.
    public static let sRGB = RGBPrimaries((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
    /// The primaries of Display P3.
    public static let displayP3 = RGBPrimaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
}

extension RGBPrimaries {
    /// Creates the primaries of a code point of ITU-T H.273, table 2. Nil for unspecified and unknown ones.
    package init?(codePoint: Int) {
        switch codePoint {
        case 1: self = .sRGB
        case 4: self.init((0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: (0.310, 0.316))
        case 5: self.init((0.64, 0.33), (0.29, 0.60), (0.15, 0.06))
        case 6, 7: self.init((0.630, 0.340), (0.310, 0.595), (0.155, 0.070))
        case 8: self.init((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: (0.310, 0.316))
        case 9: self.init((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
        case 11: self.init((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351))
        case 12: self = .displayP3
        case 22: self.init((0.630, 0.340), (0.295, 0.605), (0.155, 0.077))
        default: return nil
        }
    }

    private init(
        _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
        white: (Double, Double) = (0.3127, 0.3290)
    ) {
        self.init(
            white: Chromaticity(x: white.0, y: white.1), red: Chromaticity(x: red.0, y: red.1),
            green: Chromaticity(x: green.0, y: green.1), blue: Chromaticity(x: blue.0, y: blue.1))
    }

    /// Returns whether no coordinate differs by more than `tolerance`.
    package func isClose(to other: RGBPrimaries, within tolerance: Double) -> Bool {
        zip([white, red, green, blue], [other.white, other.red, other.green, other.blue]).allSatisfy {
            abs($0.x - $1.x) <= tolerance && abs($0.y - $1.y) <= tolerance
        }
    }

    /// Returns the matrix from linear RGB of these primaries to that of others. White stays white.
    package func matrix(to other: RGBPrimaries) -> ColorMatrix {
        other.xyz.inverse * Self.adaptation(from: white, to: other.white) * xyz
    }

    /// The matrix from linear RGB to CIE XYZ, in which white has a luminance of 1 (SMPTE RP 177).
    var xyz: ColorMatrix {
        let colors = ColorMatrix(red.xyz, green.xyz, blue.xyz)
        return colors * ColorMatrix(diagonal: colors.inverse * white.xyz)
    }

    /// Returns the Bradford transform (ICC.1, annex E) between white points.
    static func adaptation(from source: Chromaticity, to target: Chromaticity) -> ColorMatrix {
        if source == target { return ColorMatrix(diagonal: SIMD3(1, 1, 1)) }
        let bradford = ColorMatrix(
            SIMD3(0.8951, -0.7502, 0.0389), SIMD3(0.2664, 1.7135, -0.0685), SIMD3(-0.1614, 0.0367, 1.0296))
        let gain = (bradford * target.xyz) / (bradford * source.xyz)
        return bradford.inverse * ColorMatrix(diagonal: gain) * bradford
    }
}

extension RGBPrimaries.Chromaticity {
    /// The color with a luminance of 1 in CIE XYZ.
    var xyz: SIMD3<Double> { SIMD3(x / y, 1, (1 - x - y) / y) }
}

/// A matrix of three columns.
package struct ColorMatrix: Hashable, Sendable {
    let columns: [SIMD3<Double>]

    init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
        columns = [first, second, third]
    }

    init(diagonal: SIMD3<Double>) {
        self.init(SIMD3(diagonal.x, 0, 0), SIMD3(0, diagonal.y, 0), SIMD3(0, 0, diagonal.z))
    }

    /// The inverse. Its elements are not finite if there is none.
    var inverse: ColorMatrix {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let rows = [cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])]
        let determinant = (columns[0] * rows[0]).sum()
        func column(_ index: Int) -> SIMD3<Double> {
            SIMD3(rows[0][index], rows[1][index], rows[2][index]) / determinant
        }
        return ColorMatrix(column(0), column(1), column(2))
    }

    package static func * (matrix: ColorMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
        matrix.columns[0] * vector.x + matrix.columns[1] * vector.y + matrix.columns[2] * vector.z
    }

    static func * (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
        ColorMatrix(left * right.columns[0], left * right.columns[1], left * right.columns[2])
    }
}
