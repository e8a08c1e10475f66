#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore
    import ImageIO

    /// A file whose header has been read by ImageIO.
    final class OpenedImageIO: OpenedImage, ColorConvertingImage {
        let header: ImageHeader
        private let reader: SourceReader
        private let gamut: ColorSpace
        private var space: ColorSpace
        private let limits: DecodingLimits

        init(_ reader: SourceReader, limits: DecodingLimits) throws(ImageDecodingError) {
            var header = try reader.header(limits: limits)
            gamut = reader.gamut
            space = gamut
            header.color = SourceColor(primaries: gamut.primaries, transfer: gamut.transfer)
            self.header = header
            self.reader = reader
            self.limits = limits
        }

        func convert(to color: OutputColor) -> ColorSpace {
            space = if case .space(let space) = color { space } else { gamut }
            return space
        }

        /// Returns the stored size divided by 1, 2, 4 or 8, rounded up. Frames of animations are not scaled.
        func decodableSize(covering target: PixelSize) -> PixelSize {
            if header.frameCount > 1 { return header.storedSize }
            let sizes = [8, 4, 2].map(header.storedSize.divided)
            return sizes.first { $0.width >= target.width && $0.height >= target.height } ?? header.storedSize
        }

        /// Returns the size in bytes of the image from ImageIO and of the drawn image.
        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { size.area.times(8) }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard (0..<header.frameCount).contains(index) else {
                throw .noSuchFrame(index, frameCount: header.frameCount)
            }
            guard layout == .rgba8, decodableSize(covering: size) == size else {
                throw .unsupported(
                    header.format, "the image can only be decoded as RGBA at 1, 1/2, 1/4 or 1/8 of its size")
            }
            try limits.check(.decodedBytes, heldByteCount(frame: index, size: size, layout: layout))
            try draw(frame: index, size: size, into: sink)
            let status = CGImageSourceGetStatusAtIndex(reader.source, reader.index(of: index))
            if status != .statusComplete { throw reader.failure(of: status) }
        }

        /// Sends what ImageIO has of an image.
        func draw(frame index: Int, size: PixelSize, into sink: any PixelRowSink) throws(ImageDecodingError) {
            try sink.checkCancellation()
            guard let image = image(frame: index, size: size) else { throw failure(ofFrame: index) }
            try sink.checkCancellation()
            try Drawing(image, size: size, in: space, format: header.format)
                .send(isOpaque: !header.hasAlpha, to: sink)
        }

        private func image(frame index: Int, size: PixelSize) -> CGImage? {
            let index = reader.index(of: index)
            if size == header.storedSize {
                return CGImageSourceCreateImageAtIndex(reader.source, index, Self.options as CFDictionary)
            }
            let thumbnail: [CFString: Any] = [
                // Ignores thumbnails embedded by cameras.
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                // The caller applies the orientation.
                kCGImageSourceCreateThumbnailWithTransform: false,
                kCGImageSourceThumbnailMaxPixelSize: max(size.width, size.height),
            ]
            let options = Self.options.merging(thumbnail) { $1 }
            return CGImageSourceCreateThumbnailAtIndex(reader.source, index, options as CFDictionary)
        }

        /// The system tone-maps HDR, and ignores gain maps.
        private static var options: [CFString: Any] {
            [
                kCGImageSourceShouldCacheImmediately: true,
                kCGImageSourceDecodeRequest: kCGImageSourceDecodeToSDR,
            ]
        }

        /// Returns the error from ImageIO's status, or `.malformed` if the status is complete.
        private func failure(ofFrame index: Int) -> ImageDecodingError {
            reader.failure(of: CGImageSourceGetStatusAtIndex(reader.source, reader.index(of: index)))
        }
    }
#endif
