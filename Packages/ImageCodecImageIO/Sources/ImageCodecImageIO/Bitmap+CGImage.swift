#if canImport(ImageIO)
    public import CoreGraphics
    public import ImageCore

    extension Bitmap {
        /// The Core Graphics image, which is made once and uses the memory of the bitmap. Nil if the bitmap is empty.
        ///
        /// Its alpha is straight, and its color space is that of the bitmap. Core Animation draws opaque images as they
        /// are. Of others, it makes a copy with premultiplied alpha while they are shown. The pixels of a packed bitmap
        /// are copied.
        public var cgImage: CGImage? { drawable { $0.makeCGImage() } }

        private func makeCGImage() -> CGImage? {
            let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
            guard size.width > 0, size.height > 0, let space = colorSpace.cgColorSpace,
                let provider = CGDataProvider.sharing(pixels)
            else { return nil }
            return unsafe CGImage(
                width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
                space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
                shouldInterpolate: true, intent: .defaultIntent)
        }
    }

    extension ColorSpace {
        /// The Core Graphics color space.
        var cgColorSpace: CGColorSpace? {
            switch self {
            case .sRGB: CGColorSpace(name: CGColorSpace.sRGB)
            case .displayP3: CGColorSpace(name: CGColorSpace.displayP3)
            }
        }
    }

    extension CGDataProvider {
        /// Returns a provider that retains an array. The address of its elements is valid for that long, because nobody
        /// can change an array that is retained twice.
        fileprivate static func sharing(_ pixels: [UInt8]) -> CGDataProvider? {
            let owner = unsafe Unmanaged.passRetained(PixelOwner(pixels))
            let provider = unsafe pixels.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.flatMap { address in
                    unsafe CGDataProvider(dataInfo: owner.toOpaque(), data: address, size: bytes.count) { info, _, _ in
                        if let info = unsafe info { unsafe Unmanaged<PixelOwner>.fromOpaque(info).release() }
                    }
                }
            }
            if provider == nil { unsafe owner.release() }
            return provider
        }
    }

    private final class PixelOwner: Sendable {
        private let pixels: [UInt8]

        init(_ pixels: [UInt8]) { self.pixels = pixels }
    }
#endif
