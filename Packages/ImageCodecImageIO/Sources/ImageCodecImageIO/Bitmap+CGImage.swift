#if canImport(ImageIO)
    public import CoreGraphics
    import Foundation
    public import ImageCore

    extension Bitmap {
        /// Creates a Core Graphics image with straight alpha in sRGB. Copies the pixels once.
        ///
        /// - Returns: `nil` if the bitmap is empty or memory is exhausted.
        public func makeCGImage() -> CGImage? {
            let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
            guard size.width > 0, size.height > 0, let space = CGColorSpace(name: CGColorSpace.sRGB),
                let provider = CGDataProvider(data: Data(pixels) as CFData)
            else { return nil }
            return unsafe CGImage(
                width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
                space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
                shouldInterpolate: false, intent: .defaultIntent)
        }
    }
#endif
