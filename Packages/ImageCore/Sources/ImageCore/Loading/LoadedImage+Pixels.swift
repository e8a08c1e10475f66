extension LoadedImage {
    /// The pixels: straight (not premultiplied) RGBA, 8 bits a channel, sRGB, upright.
    public var bitmap: Bitmap { image.bitmap }

    /// The size in pixels.
    public var size: PixelSize { bitmap.size }

    /// The rows from top to bottom, four bytes a pixel: red, green, blue, alpha.
    public var rgbaRows: [ArraySlice<UInt8>] {
        let pixels = bitmap.pixels
        let length = bitmap.bytesPerRow
        return (0..<size.height).map { pixels[$0 * length..<($0 + 1) * length] }
    }
}
