/// The transfer function and primaries of RGB pixels, for images without an ICC profile.
public struct ColorCalibration: Hashable, Sendable {
    /// The transfer function.
    public enum Transfer: Hashable, Sendable {
        /// A power of the value from 0 to 1. The exponent 1 is linear.
        case gamma(Double)
        /// The curve of sRGB (IEC 61966-2-1).
        case srgb
        /// `(scale · value + offset)` to the power `exponent` from `threshold` on, and `slope · value` below: the
        /// parametric curve of type 3 (ICC.1, 10.18).
        case parametric(exponent: Double, scale: Double, offset: Double, slope: Double, threshold: Double)
    }

    /// A chromaticity (CIE 1931 x and y).
    public struct Chromaticity: Hashable, Sendable {
        /// The x coordinate.
        public var x: Double
        /// The y coordinate.
        public var y: Double

        /// Creates a chromaticity.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The transfer function.
    public var transfer: Transfer
    /// The white point.
    public var white: Chromaticity
    /// The red primary.
    public var red: Chromaticity
    /// The green primary.
    public var green: Chromaticity
    /// The blue primary.
    public var blue: Chromaticity

    /// The white point and the primaries are those of sRGB by default.
    public init(
        transfer: Transfer, white: Chromaticity = .init(x: 0.3127, y: 0.3290),
        red: Chromaticity = .init(x: 0.64, y: 0.33), green: Chromaticity = .init(x: 0.30, y: 0.60),
        blue: Chromaticity = .init(x: 0.15, y: 0.06)
    ) {
        self.transfer = transfer
        self.white = white
        self.red = red
        self.green = green
        self.blue = blue
    }
}

extension ColorCalibration {
    /// Creates a calibration with primaries of ITU-T H.273, table 2. Nil for unspecified and unknown ones.
    package init?(primaries codePoint: Int, transfer: Transfer) {
        switch codePoint {
        case 1: self.init(transfer: transfer)
        case 4: self.init(transfer, (0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: (0.310, 0.316))
        case 5: self.init(transfer, (0.64, 0.33), (0.29, 0.60), (0.15, 0.06))
        case 6, 7: self.init(transfer, (0.630, 0.340), (0.310, 0.595), (0.155, 0.070))
        case 8: self.init(transfer, (0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: (0.310, 0.316))
        case 9: self.init(transfer, (0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
        case 11: self.init(transfer, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351))
        case 12: self.init(transfer, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
        case 22: self.init(transfer, (0.630, 0.340), (0.295, 0.605), (0.155, 0.077))
        default: return nil
        }
    }

    private init(
        _ transfer: Transfer, _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
        white: (Double, Double) = (0.3127, 0.3290)
    ) {
        self.init(
            transfer: transfer, white: Chromaticity(x: white.0, y: white.1), red: Chromaticity(x: red.0, y: red.1),
            green: Chromaticity(x: green.0, y: green.1), blue: Chromaticity(x: blue.0, y: blue.1))
    }
}
