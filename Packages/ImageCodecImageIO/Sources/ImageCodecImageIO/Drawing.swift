#if canImport(ImageIO)
    import CoreGraphics
    import ImageCore

    /// An image that is drawn in a color space with 8 bits per channel. Core Graphics converts colors and depths.
    struct Drawing {
        private let context: CGContext
        private let size: PixelSize

        /// Draws an image scaled to `size`. The image may differ from `size` by a pixel, because ImageIO rounds
        /// differently.
        init(
            _ image: CGImage, size: PixelSize, in space: ColorSpace, format: ImageFormat
        ) throws(ImageDecodingError) {
            guard let space = space.cgColorSpace,
                // The context allocates its memory, and only supports premultiplied alpha.
                let context = unsafe CGContext(
                    data: nil, width: size.width, height: size.height, bitsPerComponent: 8, bytesPerRow: 0,
                    space: space,
                    bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
            else { throw .malformed(format, "out of memory") }
            context.interpolationQuality = .high
            context.setBlendMode(.copy)
            context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
            self.context = context
            self.size = size
        }

        /// Sends the rows to `sink` from the top, with straight alpha.
        func send(isOpaque: Bool, to sink: any PixelRowSink) throws(ImageDecodingError) {
            guard let data = unsafe context.data else { return }
            var row = [UInt8](repeating: 0, count: size.width * 4)
            for y in 0..<size.height {
                let source = unsafe UnsafeRawBufferPointer(
                    start: data + y * context.bytesPerRow, count: size.width * 4)
                unsafe row.withUnsafeMutableBytes { target in unsafe target.copyMemory(from: source) }
                if !isOpaque { Self.makeStraight(&row) }
                try sink.receive(row.span)
            }
        }

        private static func makeStraight(_ row: inout [UInt8]) {
            for pixel in stride(from: 0, to: row.count, by: 4) {
                let alpha = UInt32(row[pixel + 3])
                if alpha == 255 || alpha == 0 { continue }
                for channel in pixel..<pixel + 3 {
                    row[channel] = UInt8(min(255, (UInt32(row[channel]) * 255 + alpha / 2) / alpha))
                }
            }
        }
    }
#endif
