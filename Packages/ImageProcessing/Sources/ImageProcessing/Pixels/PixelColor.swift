public import ImageCore

/// A color in sRGB with straight alpha and 8 bits per channel.
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

    /// Returns the values of the color in the pixels of another color space.
    ///
    /// A processor that draws a color needs them, because a bitmap may be in another color space than sRGB.
    public func values(in space: ColorSpace) -> PixelColor {
        let pixel = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [red, green, blue, alpha], isOpaque: false)
        let values = pixel.converted(to: space).pixels
        return PixelColor(red: values[0], green: values[1], blue: values[2], alpha: values[3])
    }

    /// Color times alpha, and alpha, each from 0 to 1.
    var premultiplied: SIMD4<Float> {
        SIMD4(Float(red), Float(green), Float(blue), 255) / 255 * (Float(alpha) / 255)
    }
}

extension SIMD4<Float> {
    /// Premultiplies a pixel in straight RGBA. Each channel is from 0 to 1.
    @inline(__always)
    init(premultiplying pixels: Span<UInt8>, at index: Int) {
        let alpha = Float(pixels[index + 3]) / 255
        self =
            SIMD4(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]), 255) * (alpha / 255)
    }

    /// Stores a premultiplied pixel as straight RGBA. A transparent pixel is stored as zeros.
    @inline(__always)
    func storeStraight(in pixels: inout [UInt8], at index: Int) {
        let alpha = w * 255
        guard alpha >= 0.5 else {
            for channel in 0..<4 { pixels[index + channel] = 0 }
            return
        }
        var straight = self * (255 / w)
        straight.w = alpha
        let bytes = (straight + 0.5).clamped(
            lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
        for channel in 0..<4 { pixels[index + channel] = UInt8(bytes[channel]) }
    }
}

extension Bitmap {
    /// Creates a part or a smaller copy of a bitmap.
    init(like bitmap: Bitmap, size: PixelSize, pixels: [UInt8]) {
        self.init(size: size, pixels: pixels, isOpaque: bitmap.isOpaque ? true : nil, colorSpace: bitmap.colorSpace)
    }
}
