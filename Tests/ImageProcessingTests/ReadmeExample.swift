import ImageCore
import ImageProcessing

// The example in the module's README.md.
func avatar(_ image: Bitmap) throws -> Bitmap {
    let border = ImageBorder(color: PixelColor(red: 255, green: 210, blue: 0), width: 1.5)
    let small = try ResizeProcessor(.fill(PixelSize(width: 64, height: 64))).process(image)
    return try CircleProcessor(border: border).process(small)
}
