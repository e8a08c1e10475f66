import ImageCore
import ImageProcessing

/// Resizes an image to a size, without keeping its aspect ratio.
struct StretchProcessor: ImageProcessor {
    let size: PixelSize

    var identifier: String { "stretch(\(size))" }

    /// Throws the errors of the resampler.
    func process(_ bitmap: Bitmap) throws -> Bitmap {
        if size == bitmap.size { return bitmap }
        let rows = CollectedRows(size)
        let stage = try LanczosRowResampler().makeStage(
            source: bitmap.size, region: PixelRegion(bitmap.size), output: size, isOpaque: bitmap.isOpaque, next: rows)
        let pixels = bitmap.pixels
        let bytes = pixels.span
        for y in 0..<bitmap.size.height {
            try stage.receive(bytes.extracting(y * bitmap.bytesPerRow..<(y + 1) * bitmap.bytesPerRow))
        }
        return Bitmap(size: size, pixels: rows.pixels, isOpaque: bitmap.isOpaque)
    }
}

private final class CollectedRows: PixelRowSink {
    private(set) var pixels: [UInt8] = []

    init(_ size: PixelSize) { pixels.reserveCapacity(size.area * 4) }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        // Sound: the pointer is used within the closure only.
        unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }
}
