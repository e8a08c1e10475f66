import ImageCore
import ImageProcessing

// The example in the module's README.md.
func avatar(_ image: Bitmap) throws -> Bitmap {
    let border = ImageBorder(color: PixelColor(red: 255, green: 210, blue: 0), width: 1.5)
    return try CompositeProcessor([
        ResizeProcessor(ImageTarget(PixelSize(width: 64, height: 64), mode: .fill)),
        CircleProcessor(border: border),
    ]).process(image)
}
