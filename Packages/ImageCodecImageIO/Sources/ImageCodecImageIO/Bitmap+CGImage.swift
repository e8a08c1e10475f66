#if canImport(ImageIO)
    public import CoreGraphics
    public import ImageCore

    extension Bitmap {
        /// The Core Graphics image, which is made once and uses the memory of the bitmap. Nil if the bitmap is empty.
        ///
        /// Its alpha is straight, and its color space is that of the bitmap. Core Animation draws opaque images as they
        /// are. Of others, it makes a copy with premultiplied alpha while they are shown. The pixels of a packed bitmap
        /// are copied.
        ///
        /// With `hdr`, it is the image for displays of high dynamic range. Views have to allow that, as those of this package
        /// do.
        public var cgImage: CGImage? { drawable { $0.makeCGImage() } }

        /// The image of standard range.
        var standardCGImage: CGImage? { hdr == nil ? cgImage : cgImage(of: pixels, in: colorSpace.cgColorSpace) }

        private func makeCGImage() -> CGImage? {
            guard let hdr else { return cgImage(of: pixels, in: colorSpace.cgColorSpace) }
            return cgImage(of: hdr.samples, in: CGColorSpace(name: CGColorSpace.displayP3_PQ), .byteOrder16Little)
        }

        private func cgImage<Sample: FixedWidthInteger & Sendable>(
            of samples: [Sample], in space: CGColorSpace?, _ order: CGBitmapInfo = []
        ) -> CGImage? {
            let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
            guard size.width > 0, size.height > 0, let space, let provider = CGDataProvider.sharing(samples) else {
                return nil
            }
            return unsafe CGImage(
                width: size.width, height: size.height, bitsPerComponent: Sample.bitWidth,
                bitsPerPixel: 4 * Sample.bitWidth, bytesPerRow: size.width * Sample.bitWidth / 2, space: space,
                bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue | order.rawValue), provider: provider, decode: nil,
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
        fileprivate static func sharing<Sample: Sendable>(_ pixels: [Sample]) -> CGDataProvider? {
            let owner = unsafe Unmanaged.passRetained(PixelOwner(pixels))
            let provider = unsafe pixels.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.flatMap { address in
                    unsafe CGDataProvider(dataInfo: owner.toOpaque(), data: address, size: bytes.count) { info, _, _ in
                        if let info = unsafe info { unsafe Unmanaged<AnyObject>.fromOpaque(info).release() }
                    }
                }
            }
            if provider == nil { unsafe owner.release() }
            return provider
        }
    }

    private final class PixelOwner<Sample: Sendable>: Sendable {
        private let pixels: [Sample]

        init(_ pixels: [Sample]) { self.pixels = pixels }
    }
#endif
