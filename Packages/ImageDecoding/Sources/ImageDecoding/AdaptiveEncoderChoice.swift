public import ImageCore

/// Chooses the encoder that keeps an image well in few bytes: one for transparency, one for photographs, one for drawings.
///
/// A drawing is told from a photograph by its neighbours: where half of all pixels equal the one to their left, lossless
/// compression is both smaller and free of the noise that lossy compression draws around edges.
public struct AdaptiveEncoderChoice: Sendable {
    private let transparent: any ImageEncoder
    private let photograph: any ImageEncoder
    private let drawing: any ImageEncoder

    /// - Parameters:
    ///   - transparent: keeps alpha: PNG or WebP.
    ///   - photograph: JPEG or lossy WebP.
    ///   - drawing: PNG or lossless WebP; nil for the same as `transparent`.
    public init(
        transparent: any ImageEncoder, photograph: any ImageEncoder, drawing: (any ImageEncoder)? = nil
    ) {
        self.transparent = transparent
        self.photograph = photograph
        self.drawing = drawing ?? transparent
    }

    /// The encoder for an image. A pure function of its pixels; looks at each once.
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
