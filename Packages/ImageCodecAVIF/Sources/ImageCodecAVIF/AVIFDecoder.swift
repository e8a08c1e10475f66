#if AVIF
    import CImageCodecAVIF
    import ISOBoxes
    public import ImageCore

    /// Decodes AVIF (AOMedia AVIF 1.1): still images, grids, layered images and animations, with 8, 10 or 12 bits,
    /// every chroma format, alpha, profile and orientation.
    ///
    /// libavif decodes whole frames to planes of luma, chroma and alpha. They are converted to RGBA in strips, or made
    /// smaller by 2, 4 or 8 first. `DecodingLimits.decodedByteLimit` is checked before memory for the planes is allocated.
    ///
    /// Damaged files that browsers show are accepted: those without the property `pixi`, with an invalid clean
    /// aperture, which is ignored, or without the size of the alpha image. The orientation is that of the properties
    /// `irot` and `imir`; Exif is ignored, as ISO/IEC 23008-12 demands.
    ///
    /// Animations play as in browsers: delays up to 10 ms become 100 ms, and a file without an edit list loops forever.
    public struct AVIFDecoder: ImageDecoder {
        /// Creates a decoder. It has no state.
        public init() {}

        public var format: ImageFormat { .avif }

        /// Returns whether the data starts with a file type box that has the brand `avif` or `avis` (AVIF 1.1,
        /// section 6). Brands after the first 128 bytes are not considered.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .avif }

        /// Reads the container and the headers of its images. Decodes no pixels. A truncated file is accepted if its
        /// header is complete.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.limitExceeded` or `.unsupported`.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard data.count >= 12 else { throw .truncated(.avif) }
            guard recognizes(data.prefix(FileSignature.byteCount)) else {
                throw .malformed(.avif, "the file type box with the brand avif or avis is missing")
            }
            let container = try AVIFContainer(of: data, limits: limits)
            return try OpenedAVIF(container, limits: limits)
        }
    }

    /// An AVIF file whose container has been read.
    final class OpenedAVIF: OpenedImage {
        let header: ImageHeader
        private let reader: AVIFReader
        private let container: AVIFContainer
        private let limits: DecodingLimits

        init(_ container: AVIFContainer, limits: DecodingLimits) throws(ImageDecodingError) {
            self.container = container
            self.limits = limits
            try container.checkItems()
            reader = try container.explainingTruncation { () throws(ImageDecodingError) in
                try AVIFReader(of: container.data, limits: limits)
            }
            try container.checkCells(reader.info)
            header = try ImageHeader(of: reader, in: container, limits: limits)
            try limits.check(PixelSize(width: Int(reader.info.width), height: Int(reader.info.height)))
        }

        /// Returns the stored size divided by 8, 4 or 2 and rounded up, or the stored size. Images with alpha are not
        /// made smaller, because the color of transparent pixels would affect their neighbors, nor are images whose
        /// crop divides a chroma sample.
        func decodableSize(covering target: PixelSize) -> PixelSize {
            guard canShrink else { return header.storedSize }
            let smaller = Self.divisors.map { header.storedSize.divided(by: $0) }
            return smaller.first { $0.width >= target.width && $0.height >= target.height } ?? header.storedSize
        }

        /// Returns the size of the decoded planes in bytes. For an animation, that is the frame and the reference
        /// frames that AV1 allows: 8.
        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            reader.info.planeBytes(hasGrid: container.hasGrid)
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard (0..<header.frameCount).contains(index) else {
                throw .noSuchFrame(index, frameCount: header.frameCount)
            }
            guard layout == .rgba8 || layout == header.nativeLayout, let divisor = divisor(for: size) else {
                throw .unsupported(.avif, "the image can't be decoded at \(size) in this layout")
            }
            try limits.check(.decodedBytes, heldByteCount(frame: index, size: size, layout: layout))
            try container.explainingTruncation { () throws(ImageDecodingError) in try reader.decode(index, for: sink) }
            if divisor == 1 {
                try send(layout, to: sink)
            } else {
                try send(layout, to: sink, size: size, divisor: divisor)
            }
        }

        private static let divisors = [8, 4, 2]

        /// Whether the image can be made smaller: it has no alpha, and its crop starts with a chroma sample.
        private var canShrink: Bool {
            let info = reader.info
            return !header.hasAlpha && info.crop_x % (1 << info.chroma_shift_x) == 0
                && info.crop_y % (1 << info.chroma_shift_y) == 0
        }

        /// Returns the divisor for a decodable size, or nil for another size.
        private func divisor(for size: PixelSize) -> Int? {
            if size == header.storedSize { return 1 }
            return !canShrink ? nil : Self.divisors.first { header.storedSize.divided(by: $0) == size }
        }

        /// Sends the rows of the clean aperture. Whole rows are converted, so that its edges don't affect the chroma.
        private func send(_ layout: PixelLayout, to sink: any PixelRowSink) throws(ImageDecodingError) {
            let (info, size, pixelBytes) = (reader.info, header.storedSize, layout.bytesPerPixel)
            let stride = pixelBytes * Int(info.width)
            let rowCount = Self.rowCount(bytesPerRow: stride)
            var pixels = [UInt8](repeating: 0, count: stride * (min(rowCount, size.height) + 3))
            let end = Int(info.crop_y) + size.height
            var first = Int(info.crop_y)
            while first < end {
                try sink.checkCancellation()
                // Between odd rows, the fewest rows are converted twice.
                let rows = first..<min((first + rowCount - 1) | 1, end)
                let start = try stride * reader.convert(rows, layout, to: &pixels) + pixelBytes * Int(info.crop_x)
                for row in 0..<rows.count {
                    let offset = start + row * stride
                    try sink.receive(pixels.span.extracting(offset..<offset + pixelBytes * size.width))
                }
                first = rows.upperBound
            }
        }

        /// Sends the rows of the smaller image.
        private func send(
            _ layout: PixelLayout, to sink: any PixelRowSink, size: PixelSize, divisor: Int
        ) throws(ImageDecodingError) {
            let stride = layout.bytesPerPixel * size.width
            let rowCount = Self.rowCount(bytesPerRow: stride * divisor)
            var pixels = [UInt8](repeating: 0, count: stride * min(rowCount, size.height))
            for first in Swift.stride(from: 0, to: size.height, by: rowCount) {
                try sink.checkCancellation()
                let rows = first..<min(first + rowCount, size.height)
                try reader.convert(rows, divisor: divisor, layout, to: &pixels)
                for row in 0..<rows.count {
                    try sink.receive(pixels.span.extracting(row * stride..<(row + 1) * stride))
                }
            }
        }

        /// Returns the number of rows to convert at once: an even number, in half a megabyte if possible.
        private static func rowCount(bytesPerRow: Int) -> Int { max(2, (512 << 10) / bytesPerRow & ~1) }
    }

    extension ImageHeader {
        fileprivate init(
            of reader: AVIFReader, in container: AVIFContainer, limits: DecodingLimits
        ) throws(ImageDecodingError) {
            let (info, track) = (reader.info, container.track)
            self.init(
                format: .avif, storedSize: PixelSize(width: Int(info.crop_width), height: Int(info.crop_height)),
                orientation: ImageOrientation(rotation: Int(info.rotation), mirror: Int(info.mirror)),
                hasAlpha: info.has_alpha != 0,
                hasGainMap: container.hasGainMap)
            if let profile = reader.profile(limit: limits.metadataByteLimit) {
                color = SourceColor(profile: profile)
            } else {
                color = try SourceColor(
                    primaries: Int(info.primaries), transfer: Int(info.transfer), format: .avif)
            }
            color.setPeak(container.peakLuminance.content, container.peakLuminance.mastering)
            nativeLayout = color.isHDR ? .rgba16 : .rgba8
            guard info.frame_count > 1 else { return }
            frameCount = Int(info.frame_count)
            frameDelays = (track ?? AVIFTrack()).delays(frameCount: frameCount, timescale: info.timescale)
            loopCount = track?.loopCount ?? 0
        }
    }

    extension avif_info {
        /// The memory in bytes of all planes that libavif and dav1d hold, as far as the header determines it; `Int.max`
        /// if it overflows.
        ///
        /// dav1d rounds the sides up to 128. libavif copies the cells of a grid to one image. An animation has up to 8
        /// reference frames (AV1, 7.20).
        fileprivate func planeBytes(hasGrid: Bool) -> Int {
            let (columns, rows) = ((Int(width) + 127) & ~127, (Int(height) + 127) & ~127)
            let chroma = is_gray != 0 ? 0 : 2 * (columns >> chroma_shift_x) * (rows >> chroma_shift_y)
            let samples = columns * rows * (has_alpha != 0 ? 2 : 1) + chroma
            let frames = frame_count > 1 ? 1 + min(8, Int(frame_count) - 1) : hasGrid ? 2 : 1
            return samples * (depth > 8 ? 2 : 1) * frames
        }
    }

    extension ImageOrientation {
        /// Creates the orientation of an image that is rotated counterclockwise in quarter turns, then mirrored: 1
        /// exchanges top and bottom, 2 left and right (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
        init(rotation: Int, mirror: Int) {
            let orientations: [[ImageOrientation]] = [
                [.up, .downMirrored, .upMirrored],
                [.left, .leftMirrored, .rightMirrored],
                [.down, .upMirrored, .downMirrored],
                [.right, .rightMirrored, .leftMirrored],
            ]
            self = orientations[rotation & 3][min(max(mirror, 0), 2)]
        }

        /// The rotation and the mirroring, as for the initializer, that give this orientation.
        var transform: (rotation: Int, mirror: Int) {
            switch self {
            case .up: (0, 0)
            case .upMirrored: (0, 2)
            case .down: (2, 0)
            case .downMirrored: (0, 1)
            case .leftMirrored: (1, 1)
            case .right: (3, 0)
            case .rightMirrored: (3, 1)
            case .left: (1, 0)
            }
        }
    }
#else
    public import ImageCore

    /// Without the trait, there is only the name, so that the compiler says what is missing.
    @available(
        *, unavailable, message: "enable the trait AVIF of swift-image-loading, and install libavif-dev (Debian)"
    )
    // It never runs: the compiler refuses each call.
    public func AVIFDecoder() -> any ImageDecoder { fatalError() }
#endif
