/// A colour in sRGB with straight alpha, 8 bits a channel: as a pixel of a `Bitmap` has it.
public struct PixelColor: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    /// 0 is invisible, 255 covers what is under it.
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    public static let black = PixelColor(red: 0, green: 0, blue: 0)
    public static let white = PixelColor(red: 255, green: 255, blue: 255)
}

extension PixelColor: CustomStringConvertible {
    /// `#rrggbbaa`, as CSS writes it.
    public var description: String {
        "#"
            + [red, green, blue, alpha]
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension PixelColor {
    /// Colour times alpha, and alpha; each from 0 to 1.
    var premultiplied: SIMD4<Float> {
        SIMD4(Float(red), Float(green), Float(blue), 255) / 255 * (Float(alpha) / 255)
    }
}
