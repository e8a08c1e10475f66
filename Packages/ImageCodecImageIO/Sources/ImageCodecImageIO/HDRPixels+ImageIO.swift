#if canImport(ImageIO)
    import CoreGraphics
    package import Foundation
    package import ImageCore
    import ImageIO

    extension HDRPixels {
        /// Decodes an opaque image with all the brightness that the system finds in its file. Nil if it can't.
        ///
        /// **This has never been compiled or run on an Apple platform.**
        ///
        /// - Parameters:
        ///   - file: The whole file.
        ///   - part: The part of the upright image to show.
        ///   - image: The size of the upright image.
        ///   - size: That of the result.
        package init?(of file: Data, showing part: PixelRegion, of image: PixelSize, in size: PixelSize) {
            let horizontal = Double(size.width) / part.width
            let vertical = Double(size.height) / part.height
            let (width, height) = (Double(image.width), Double(image.height))
            let options: [CFString: Any] = [
                kCGImageSourceDecodeRequest: kCGImageSourceDecodeToHDR,
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: Int(max(width * horizontal, height * vertical).rounded(.up)),
            ]
            let info = CGImageAlphaInfo.noneSkipLast.rawValue | CGBitmapInfo.byteOrder16Little.rawValue
            guard let source = CGImageSourceCreateWithData(Data(file) as CFData, nil),
                let decoded = CGImageSourceCreateThumbnailAtIndex(
                    source, CGImageSourceGetPrimaryImageIndex(source), options as CFDictionary),
                let space = CGColorSpace(name: CGColorSpace.displayP3_PQ),
                let context = unsafe CGContext(
                    data: nil, width: size.width, height: size.height, bitsPerComponent: 16, bytesPerRow: 0,
                    space: space,
                    bitmapInfo: info)
            else { return nil }
            context.interpolationQuality = .high
            context.setBlendMode(.copy)
            // The origin is at the bottom left.
            context.draw(
                decoded,
                in: CGRect(
                    x: -part.x * horizontal, y: (part.y + part.height - height) * vertical, width: width * horizontal,
                    height: height * vertical))
            guard let samples = context.opaqueSamples else { return nil }
            self.init(samples: samples, headroom: max(1, Double(decoded.contentHeadroom)))
        }
    }

    extension CGContext {
        /// The samples of a context with 16 bits for each of red, green, blue and alpha. Alpha is that of opaque pixels.
        fileprivate var opaqueSamples: [UInt16]? {
            guard let data = unsafe data else { return nil }
            var samples: [UInt16] = []
            samples.reserveCapacity(4 * width * height)
            for y in 0..<height {
                let row = unsafe UnsafeRawBufferPointer(start: data + y * bytesPerRow, count: 8 * width)
                // Sound: rows of Core Graphics are aligned.
                samples += unsafe row.bindMemory(to: UInt16.self)
            }
            for index in stride(from: 3, to: samples.count, by: 4) { samples[index] = .max }
            return samples
        }
    }
#endif
