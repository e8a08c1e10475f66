public import ImageCore

/// The arrangement of pixels that a toolkit draws fastest.
public struct SurfaceFormat: Hashable, Sendable {
    /// The channels of a pixel, in the order of their bytes.
    public enum Channels: String, Hashable, Sendable, CaseIterable {
        case rgba, bgra
        /// Three bytes a pixel, for opaque images: what is transparent comes out as if over black.
        case rgb

        public var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
    }

    public var channels: Channels
    /// Whether colour is multiplied by alpha. CoreGraphics wants it so, GTK draws straight alpha faster.
    public var isPremultiplied: Bool
    /// Bytes of which the length of a row is a multiple: 64 for CoreAnimation, 1 where rows may follow each other closely.
    public var rowAlignment: Int

    public init(_ channels: Channels, isPremultiplied: Bool = false, rowAlignment: Int = 1) {
        self.channels = channels
        self.isPremultiplied = isPremultiplied
        self.rowAlignment = max(1, rowAlignment)
    }
}

/// An image in the arrangement of a toolkit. Bytes between the end of a row and the start of the next are 0.
public struct PixelSurface: Hashable, Sendable {
    public let size: PixelSize
    public let format: SurfaceFormat
    public let bytesPerRow: Int
    /// `bytesPerRow * size.height` bytes.
    public let bytes: [UInt8]

    /// Arranges an image anew. When that changes nothing, the memory is the image's own.
    public init(_ bitmap: Bitmap, format: SurfaceFormat) {
        size = bitmap.size
        self.format = format
        let rowBytes = bitmap.size.width * format.channels.bytesPerPixel
        bytesPerRow = (rowBytes + format.rowAlignment - 1) / format.rowAlignment * format.rowAlignment
        let multiplies = !bitmap.isOpaque && (format.isPremultiplied || format.channels == .rgb)
        if format.channels == .rgba, !multiplies, bytesPerRow == rowBytes {
            bytes = bitmap.pixels
        } else {
            bytes = Self.arranged(bitmap, format.channels, multiplies: multiplies, bytesPerRow: bytesPerRow)
        }
    }

    private static func arranged(
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
    /// This times `alpha` / 255, to the nearest.
    fileprivate func multiplied(by alpha: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(self) * UInt32(alpha) + 127) / 255)
    }
}
