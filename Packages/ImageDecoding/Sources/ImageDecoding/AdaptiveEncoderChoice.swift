public import ImageCore

/// Selects an encoder by the content of an image: transparent, photograph or drawing.
///
/// An opaque image is a drawing if at least half of its pixels equal their left neighbor. Lossless compression is then
/// smaller than lossy compression, and has no artifacts around edges.
public struct AdaptiveEncoderChoice: Sendable {
    private let transparent: any ImageEncoder
    private let photograph: any ImageEncoder
    private let drawing: any ImageEncoder

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - transparent: An encoder that preserves alpha, for example PNG, WebP, AVIF or JPEG XL.
    ///   - photograph: An encoder for opaque photographs, for example JPEG, AVIF or lossy WebP.
    ///   - drawing: An encoder for opaque drawings, for example PNG or lossless WebP. The default is `transparent`.
    public init(
        transparent: any ImageEncoder, photograph: any ImageEncoder, drawing: (any ImageEncoder)? = nil
    ) {
        self.transparent = transparent
        self.photograph = photograph
        self.drawing = drawing ?? transparent
    }

    /// Returns the encoder for an image. The result depends on the pixels only. Reads each pixel once.
    public func encoder(for bitmap: Bitmap) -> any ImageEncoder {
        if !bitmap.isOpaque { return transparent }
        return bitmap.isDrawing ? drawing : photograph
    }
}

extension Bitmap {
    fileprivate var isDrawing: Bool {
        let pixels = pixels
        let bytes = pixels.span
        var equal = 0
        for y in 0..<size.height {
            for x in stride(from: y * bytesPerRow + 4, to: (y + 1) * bytesPerRow, by: 4)
            where bytes[x] == bytes[x - 4] && bytes[x + 1] == bytes[x - 3] && bytes[x + 2] == bytes[x - 2] {
                equal += 1
            }
        }
        return equal * 2 >= (size.width - 1) * size.height
    }
}
