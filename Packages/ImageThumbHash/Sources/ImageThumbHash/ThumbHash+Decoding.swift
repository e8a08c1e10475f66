public import ImageCore

extension ThumbHash {
    /// The length of the longer side of a decoded image, in pixels.
    private static let decodedSide = 32

    /// Returns the blurred image that the hash describes, with 32 pixels on its longer side.
    ///
    /// The pixels are those of the reference implementation. Scale them smoothly to the size of the view. Takes tens of
    /// microseconds, so you can call it while a view is configured.
    public func bitmap() -> Bitmap {
        let size = decodedSize
        let channels = StoredChannels(self)
        let columns = CosineTable(length: size.width)
        let rows = CosineTable(length: size.height)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let color = channels.color(columns[x], rows[y])
                for value in [color.red, color.green, color.blue, color.alpha] { pixels.append(UInt8(255 * value)) }
            }
        }
        // With little transparency, no pixel may be left translucent.
        let isOpaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }

    private var decodedSize: PixelSize {
        let (side, ratio) = (Double(Self.decodedSide), aspectRatio)
        return ratio > 1
            ? PixelSize(width: Self.decodedSide, height: Int((side / ratio).rounded()))
            : PixelSize(width: Int((side * ratio).rounded()), height: Self.decodedSide)
    }

    /// The average color of the image. A view can show it without decoding the hash.
    public var averageColor: Color { StoredChannels(averagesOf: self).averageColor }

    /// A color in sRGB with straight alpha. Each component is from 0 to 1.
    public struct Color: Hashable, Sendable {
        /// The red component.
        public let red: Double
        /// The green component.
        public let green: Double
        /// The blue component.
        public let blue: Double
        /// The opacity.
        public let alpha: Double

        init(luminance: Double, yellowBlue: Double, redGreen: Double, alpha: Double) {
            let blue = luminance - 2.0 / 3.0 * yellowBlue
            let red = (3 * luminance - blue + redGreen) / 2
            func limited(_ value: Double) -> Double { max(0, min(1, value)) }
            self.red = limited(red)
            green = limited(red - redGreen)
            self.blue = limited(blue)
            self.alpha = limited(alpha)
        }
    }
}
