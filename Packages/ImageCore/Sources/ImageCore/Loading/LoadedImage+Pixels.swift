extension LoadedImage {
    /// The pixels: straight (not premultiplied) RGBA with 8 bits per channel, in sRGB, upright.
    public var bitmap: Bitmap { image.bitmap }

    /// The size in pixels.
    public var size: PixelSize { bitmap.size }

    /// The rows from top to bottom, with four bytes per pixel: red, green, blue, alpha.
    public var rgbaRows: [ArraySlice<UInt8>] {
        let pixels = bitmap.pixels
        let length = bitmap.bytesPerRow
        return (0..<size.height).map { pixels[$0 * length..<($0 + 1) * length] }
    }
}
