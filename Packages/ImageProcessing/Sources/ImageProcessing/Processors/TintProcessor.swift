public import ImageCore

/// Tints an image with a color. Transparent pixels stay transparent.
public struct TintProcessor: ImageProcessor {
    /// The way in which the color is applied.
    @nonexhaustive
    public enum Mode: Hashable, Sendable, CaseIterable {
        /// Blends the color over the image by the alpha of the color. The image keeps its alpha.
        case overlay
        /// Replaces the colors of the image, and multiplies its alpha by the alpha of the color. For monochrome icons.
        case template
    }

    private let color: PixelColor
    private let mode: Mode

    /// Creates a processor that applies `color`.
    public init(_ color: PixelColor, mode: Mode = .overlay) {
        self.color = color
        self.mode = mode
    }

    public var identifier: String { "tint(\(color.text),\(mode))" }

    public func process(_ bitmap: Bitmap) -> Bitmap {
        // The results for each level of each channel.
        let values = color.values(in: bitmap.colorSpace)
        let tables = [values.red, values.green, values.blue].map(table(for:)) + [alphas]
        var pixels = bitmap.withoutHiddenAlpha.pixels
        var bytes = pixels.mutableSpan
        for index in stride(from: 0, to: bytes.count, by: 4) {
            let alpha = tables[3][Int(bytes[index + 3])]
            for channel in 0..<3 {
                bytes[index + channel] = alpha == 0 ? 0 : tables[channel][Int(bytes[index + channel])]
            }
            bytes[index + 3] = alpha
        }
        return Bitmap(size: bitmap.size, pixels: pixels, colorSpace: bitmap.colorSpace)
    }

    private func table(for value: UInt8) -> [UInt8] {
        if mode == .template { return [UInt8](repeating: value, count: 256) }
        return (0...255).map { level in
            let sum = level * (255 - Int(color.alpha)) + Int(value) * Int(color.alpha)
            return UInt8((sum + 127) / 255)
        }
    }

    private var alphas: [UInt8] {
        if mode == .overlay { return Array(0...255) }
        return (0...255).map { UInt8(($0 * Int(color.alpha) + 127) / 255) }
    }
}
