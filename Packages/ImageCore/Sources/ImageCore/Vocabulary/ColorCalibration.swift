/// What the numbers of RGB pixels mean, in few words: for images that say so without an ICC profile.
public struct ColorCalibration: Hashable, Sendable {
    /// How numbers become light.
    public enum Transfer: Hashable, Sendable {
        /// Light is the number, from 0 to 1, to the power of this exponent: 2.2 is common, 1 is linear.
        case gamma(Double)
        /// The curve of sRGB (IEC 61966-2-1).
        case srgb
    }

    /// A colour without its lightness (CIE 1931 x and y).
    public struct Chromaticity: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    public var transfer: Transfer
    public var white: Chromaticity
    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity

    /// White and primaries are those of sRGB unless told otherwise.
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
