import ImageCore
import ImageProcessing

/// Places an image on a larger, transparent canvas.
struct CanvasProcessor: ImageProcessor {
    let canvas: RenderingPlan.Area

    var identifier: String { "canvas(\(canvas.x),\(canvas.y),\(canvas.size))" }

    func process(_ bitmap: Bitmap) -> Bitmap {
        let source = bitmap.pixels
        let rowBytes = canvas.size.width * 4
        var pixels: [UInt8] = []
        pixels.reserveCapacity(canvas.size.height * rowBytes)
        pixels += repeatElement(0, count: canvas.y * rowBytes)
        for y in 0..<bitmap.size.height {
            pixels += repeatElement(0, count: canvas.x * 4)
            pixels += source[y * bitmap.bytesPerRow..<(y + 1) * bitmap.bytesPerRow]
            pixels += repeatElement(0, count: rowBytes - canvas.x * 4 - bitmap.bytesPerRow)
        }
        pixels += repeatElement(0, count: canvas.size.height * rowBytes - pixels.count)
        return Bitmap(
            size: canvas.size, pixels: pixels, isOpaque: canvas.size == bitmap.size && bitmap.isOpaque,
            colorSpace: bitmap.colorSpace)
    }
}

/// Composites an image over a color, which is in sRGB.
struct BackgroundProcessor: ImageProcessor {
    let color: PixelColor

    var identifier: String { "background(\(color))" }

    func process(_ bitmap: Bitmap) -> Bitmap {
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
