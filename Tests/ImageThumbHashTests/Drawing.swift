import ImageCore

/// Draws a gradient with a texture in blue, and with alpha from the top left unless it is opaque.
func drawn(_ width: Int, _ height: Int, isOpaque: Bool) -> Bitmap {
    var pixels: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let alpha = isOpaque ? 255 : 255 * (x + y) / (width + height)
            pixels += [255 * x / width, 255 * y / height, x * y * 7 % 256, alpha].map { UInt8($0) }
        }
    }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: isOpaque)
}

/// Draws an image of one color.
func filled(_ width: Int, _ height: Int, _ color: [UInt8]) -> Bitmap {
    let pixels = Array(repeating: color, count: width * height).flatMap { $0 }
    return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: color[3] == 255)
}

/// Returns an image with each pixel repeated in both directions.
func enlarged(_ bitmap: Bitmap, by factor: Int) -> Bitmap {
    let (size, source) = (bitmap.size, bitmap.pixels)
    var pixels: [UInt8] = []
    for y in 0..<size.height * factor {
        for x in 0..<size.width * factor {
            let index = (y / factor * size.width + x / factor) * 4
            pixels += source[index..<index + 4]
        }
    }
    let large = PixelSize(width: size.width * factor, height: size.height * factor)
    return Bitmap(size: large, pixels: pixels, isOpaque: bitmap.isOpaque)
}
