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
