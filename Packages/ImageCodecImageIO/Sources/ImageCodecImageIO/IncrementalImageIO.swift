#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore
    import ImageIO

    /// A still image that ImageIO decodes while its bytes arrive.
    ///
    /// ImageIO doesn't tell which rows it has. So a preview has all rows, of which ImageIO fills those that are missing, and
    /// one pass more for each quarter more bytes. Each preview decodes all bytes of its pass, so all together cost at most
    /// five decodes.
    final class IncrementalImageIO: IncrementalImage, ColorConvertingImage {
        private(set) var header: ImageHeader?
        private let reader: SourceReader
        private let limits: DecodingLimits
        private var data = Data()
        private var passes = 0
        private var passByteCount = 256
        private var opened: OpenedImageIO?
        private var size: PixelSize?

        init(_ format: ImageFormat, limits: DecodingLimits) {
            reader = SourceReader(CGImageSourceCreateIncremental(nil), format: format)
            self.limits = limits
        }

        var extent: PreviewExtent {
            guard passes > 0, let size else { return .nothing }
            return PreviewExtent(passes: passes, rows: size.height)
        }

        func decodableSize(covering target: PixelSize) -> PixelSize {
            opened?.decodableSize(covering: target) ?? target
        }

        func convert(to color: OutputColor) -> ColorSpace { opened?.convert(to: color) ?? .sRGB }

        func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { size.area.times(8) }

        func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
            guard layout == .rgba8, decodableSize(covering: size) == size else {
                throw .unsupported(reader.format, "previews are RGBA at 1, 1/2, 1/4 or 1/8 of the size")
            }
            self.size = size
        }

        func append(_ bytes: Data) throws(ImageDecodingError) {
            data += bytes
            try limits.check(.encodedBytes, data.count)
            // What has become an animation doesn't change any more.
            while data.count >= passByteCount, reader.frameCount <= 1 {
                CGImageSourceUpdateData(reader.source, Data(data.prefix(passByteCount)) as CFData, false)
                passByteCount += passByteCount / 4
                if opened == nil, reader.hasImage { opened = try OpenedImageIO(reader, limits: limits) }
                header = opened?.header
                if reader.frameCount == 1 || passes > 0 { passes += 1 }
            }
        }

        func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
            guard let opened, let size else { return }
            try opened.draw(frame: 0, size: size, into: sink)
        }
    }
#endif
