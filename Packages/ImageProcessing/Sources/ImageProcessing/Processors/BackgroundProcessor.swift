public import ImageCore

/// Composites an image over a color, which makes it opaque.
public struct BackgroundProcessor: ImageProcessor {
    private let color: PixelColor

    /// Creates a processor.
    ///
    /// - Parameter color: The color behind the image. Its alpha is ignored.
    public init(_ color: PixelColor) { self.color = color }

    public var identifier: String { "background(\(color.text))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        if bitmap.isOpaque { return bitmap }
        let color = color.values(in: bitmap.colorSpace)
        let background = [Int(color.red), Int(color.green), Int(color.blue)]
        var pixels = bitmap.pixels
        var bytes = pixels.mutableSpan
        for index in stride(from: 0, to: bytes.count, by: 4) {
            let alpha = Int(bytes[index + 3])
            for channel in 0..<3 {
                let sum = Int(bytes[index + channel]) * alpha + background[channel] * (255 - alpha)
                bytes[index + channel] = UInt8((sum + 127) / 255)
            }
            bytes[index + 3] = 255
        }
        return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: true, colorSpace: bitmap.colorSpace)
    }
}
