public import ImageCore

/// Turns and mirrors an image that is stored in an orientation, so that it is upright.
///
/// Decoded images are upright. Use it to rotate: `.right` turns by 90 degrees clockwise, `.down` by 180, `.left` by 270,
/// and `.upMirrored` exchanges left and right.
public struct OrientationProcessor: ImageProcessor {
    private let orientation: ImageOrientation

    /// Creates a processor for images that are stored in an orientation of Exif.
    public init(_ orientation: ImageOrientation) { self.orientation = orientation }

    public var identifier: String { "orientation(\(orientation.rawValue))" }

    /// Returns the upright image. Throws only `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        if orientation == .up || bitmap.size.area == 0 { return bitmap }
        let size = orientation.swapsAxes ? bitmap.size.transposed : bitmap.size
        let source = bitmap.pixels
        let (bytes, path) = (source.span, SourcePath(orientation, bitmap.size))
        var pixels = [UInt8](repeating: 0, count: source.count)
        var target = pixels.mutableSpan
        var written = 0
        for y in 0..<size.height {
            try Task.checkCancellation()
            var read = path.start + y * path.rowStep
            for _ in 0..<size.width {
                for channel in 0..<4 { target[written + channel] = bytes[read + channel] }
                read += path.columnStep
                written += 4
            }
        }
        return Bitmap(like: bitmap, size: size, pixels: pixels)
    }
}

/// The offsets in bytes at which the stored pixels are read, in the order of the upright image.
private struct SourcePath {
    /// The offset of the first pixel.
    let start: Int
    /// The distance between pixels of a row, and between rows.
    let columnStep: Int, rowStep: Int

    init(_ orientation: ImageOrientation, _ stored: PixelSize) {
        let (right, down) = (4, stored.width * 4)
        let (lastColumn, lastRow) = ((stored.width - 1) * right, (stored.height - 1) * down)
        (start, columnStep, rowStep) =
            switch orientation {
            case .up: (0, right, down)
            case .upMirrored: (lastColumn, -right, down)
            case .down: (lastColumn + lastRow, -right, -down)
            case .downMirrored: (lastRow, right, -down)
            case .leftMirrored: (0, down, right)
            case .right: (lastRow, -down, right)
            case .rightMirrored: (lastColumn + lastRow, -down, -right)
            case .left: (lastColumn, down, -right)
            }
    }
}
