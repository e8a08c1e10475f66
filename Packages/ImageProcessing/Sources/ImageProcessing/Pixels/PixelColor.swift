/// A color in sRGB with straight alpha and 8 bits per channel, like a pixel of a `Bitmap`.
public struct PixelColor: Hashable, Sendable {
    /// The red channel, from 0 to 255.
    public var red: UInt8
    /// The green channel, from 0 to 255.
    public var green: UInt8
    /// The blue channel, from 0 to 255.
    public var blue: UInt8
    /// The opacity, from 0 (transparent) to 255 (opaque).
    public var alpha: UInt8

    /// Creates a color. It is opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Opaque black.
    public static let black = PixelColor(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = PixelColor(red: 255, green: 255, blue: 255)
}

extension PixelColor {
    /// The color as `#rrggbbaa`, the notation of CSS, as part of an identifier.
    var text: String {
        "#"
            + [red, green, blue, alpha]
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Color times alpha, and alpha, each from 0 to 1.
    var premultiplied: SIMD4<Float> {
        SIMD4(Float(red), Float(green), Float(blue), 255) / 255 * (Float(alpha) / 255)
    }
}
