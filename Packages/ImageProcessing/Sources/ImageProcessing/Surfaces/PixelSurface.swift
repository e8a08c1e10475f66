public import ImageCore

/// The pixel format of a UI toolkit.
public struct SurfaceFormat: Hashable, Sendable {
    /// The channels of a pixel, in the order of their bytes.
    public enum Channels: String, Hashable, Sendable, CaseIterable {
        /// Red, green, blue, alpha.
        case rgba
        /// Blue, green, red, alpha.
        case bgra
        /// Red, green, blue. For opaque images; others are composited over black.
        case rgb

        /// The number of bytes per pixel.
        public var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
    }

    /// The channels of a pixel.
    public var channels: Channels
    /// Whether color is multiplied by alpha. Core Graphics requires it; GTK draws straight alpha faster.
    public var isPremultiplied: Bool
    /// The alignment of rows in bytes: 64 for Core Animation, 1 for rows without padding.
    public var rowAlignment: Int { didSet { rowAlignment = Self.limited(rowAlignment) } }

    /// Creates a format. Alignments below 1 count as 1.
    public init(_ channels: Channels, isPremultiplied: Bool = false, rowAlignment: Int = 1) {
        self.channels = channels
        self.isPremultiplied = isPremultiplied
        self.rowAlignment = Self.limited(rowAlignment)
    }

    private static func limited(_ rowAlignment: Int) -> Int { min(max(1, rowAlignment), 1 << 16) }
}

/// An image in the pixel format of a UI toolkit. The padding between rows is 0.
public struct PixelSurface: Hashable, Sendable {
    /// The size in pixels.
    public let size: PixelSize
    /// The format of the pixels.
    public let format: SurfaceFormat
    /// The distance between the starts of two rows, in bytes.
    public let bytesPerRow: Int
    /// The pixels: `bytesPerRow * size.height` bytes.
    public let bytes: [UInt8]

    /// Converts an image. Shares the memory of the image if its format is the same.
    public init(_ bitmap: Bitmap, format: SurfaceFormat) {
        size = bitmap.size
        self.format = format
        let rowBytes = bitmap.size.width * format.channels.bytesPerPixel
        bytesPerRow = (rowBytes + format.rowAlignment - 1) / format.rowAlignment * format.rowAlignment
        let multiplies = !bitmap.isOpaque && (format.isPremultiplied || format.channels == .rgb)
        if format.channels == .rgba, !multiplies, bytesPerRow == rowBytes {
            bytes = bitmap.pixels
        } else {
            bytes = Self.converted(bitmap, format.channels, multiplies: multiplies, bytesPerRow: bytesPerRow)
        }
    }

    private static func converted(
        _ bitmap: Bitmap, _ channels: SurfaceFormat.Channels, multiplies: Bool, bytesPerRow: Int
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * bitmap.size.height)
        let pixels = bitmap.pixels
        let (source, length) = (pixels.span, channels.bytesPerPixel)
        let (red, blue) = channels == .bgra ? (2, 0) : (0, 2)
        var target = bytes.mutableSpan
        for y in 0..<bitmap.size.height {
            for x in 0..<bitmap.size.width {
                let from = y * bitmap.bytesPerRow + x * 4
                let to = y * bytesPerRow + x * length
                let alpha = source[from + 3]
                let weight = multiplies ? alpha : 255
                target[to + red] = source[from].multiplied(by: weight)
                target[to + 1] = source[from + 1].multiplied(by: weight)
                target[to + blue] = source[from + 2].multiplied(by: weight)
                if length == 4 { target[to + 3] = alpha }
            }
        }
        return bytes
    }
}

extension UInt8 {
    /// Returns this value times `alpha` / 255, rounded to the nearest integer.
    fileprivate func multiplied(by alpha: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(self) * UInt32(alpha) + 127) / 255)
    }
}
