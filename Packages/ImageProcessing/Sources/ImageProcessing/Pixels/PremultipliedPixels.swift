import ImageCore

extension SIMD4<Float> {
    /// Premultiplies a pixel in straight RGBA. Each channel is from 0 to 1.
    @inline(__always)
    init(premultiplying pixels: Span<UInt8>, at index: Int) {
        let alpha = Float(pixels[index + 3]) / 255
        self =
            SIMD4(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]), 255) * (alpha / 255)
    }

    /// Stores a premultiplied pixel as straight RGBA. A transparent pixel is stored as zeros.
    @inline(__always)
    func storeStraight(in pixels: inout [UInt8], at index: Int) {
        let alpha = w * 255
        guard alpha >= 0.5 else {
            for channel in 0..<4 { pixels[index + channel] = 0 }
            return
        }
        var straight = self * (255 / w)
        straight.w = alpha
        let bytes = (straight + 0.5).clamped(
            lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
        for channel in 0..<4 { pixels[index + channel] = UInt8(bytes[channel]) }
    }
}

extension Bitmap {
    /// Creates a bitmap that is opaque if all of its pixels are.
    init(size: PixelSize, pixels: [UInt8]) {
        var common: UInt8 = 255
        let bytes = pixels.span
        for index in stride(from: 3, to: bytes.count, by: 4) { common &= bytes[index] }
        self.init(size: size, pixels: pixels, isOpaque: common == 255)
    }
}
