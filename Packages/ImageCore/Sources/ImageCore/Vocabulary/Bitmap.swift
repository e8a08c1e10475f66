/// A decoded picture: straight (not premultiplied) RGBA, 8 bits a channel, sRGB, rows from top to bottom without padding.
public struct Bitmap: Hashable, Sendable {
    public let size: PixelSize
    /// `size.width * size.height * 4` bytes.
    public let pixels: [UInt8]
    /// True when every alpha value is 255.
    public let isOpaque: Bool

    /// - Precondition: `pixels` holds exactly `size.area * 4` bytes.
    public init(size: PixelSize, pixels: [UInt8], isOpaque: Bool) {
        precondition(
            pixels.count == size.area * 4, "a bitmap of \(size) needs \(size.area * 4) bytes, not \(pixels.count)")
        self.size = size
        self.pixels = pixels
        self.isOpaque = isOpaque
    }

    /// What the picture costs in memory, in bytes.
    public var byteCount: Int { pixels.count }

    /// Bytes from one row to the next.
    public var bytesPerRow: Int { size.width * 4 }
}
